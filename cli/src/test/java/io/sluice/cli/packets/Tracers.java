package io.sluice.cli.packets;

import io.sluice.endpoints.ServiceTracker;

import java.util.EnumSet;
import java.util.Set;

/** One for each mode that plans. To add a mode's, add a constant; the table is asked of all. */
enum Tracers {
    /** The decision that all modes share, which is all there is to plan in mode userspace. */
    DECISION(Mode.USERSPACE, EnumSet.of(Settings.POD_BLOCK)) {
        @Override
        Tracer tracer(ServiceTracker.CheckOut services, Settings settings) {
            return new DecisionTracer(services.image());
        }
    },
    NFT(Mode.NFTABLES, EnumSet.allOf(Settings.class)) {
        @Override
        Tracer tracer(ServiceTracker.CheckOut services, Settings settings) {
            return NftTableTracer.of(services.image(), settings.rules(mode));
        }
    },
    IPTABLES(Mode.IPTABLES, EnumSet.allOf(Settings.class)) {
        @Override
        Tracer tracer(ServiceTracker.CheckOut services, Settings settings) {
            return IptablesTableTracer.of(services.image(), settings.rules(mode));
        }
    };

    final Mode mode;
    private final Set<Settings> known;

    Tracers(Mode mode, Set<Settings> known) {
        this.mode = mode;
        this.known = known;
    }

    /** Whether it has these settings. */
    boolean knows(Settings settings) {
        return known.contains(settings);
    }

    abstract Tracer tracer(ServiceTracker.CheckOut services, Settings settings);
}
