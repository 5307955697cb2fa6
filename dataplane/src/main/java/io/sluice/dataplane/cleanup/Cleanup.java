package io.sluice.dataplane.cleanup;

import io.sluice.api.net.Cidr;
import io.sluice.api.net.IpFamily;
import io.sluice.dataplane.config.ProxyMode;
import io.sluice.dataplane.iptables.IptablesCleanUp;
import io.sluice.kernel.KernelException;
import io.sluice.kernel.RouteNetlink;
import io.sluice.kernel.ipvs.IpvsCleanUp;
import io.sluice.kernel.nft.NetlinkNft;
import io.sluice.nft.NftProgram;

import java.io.IOException;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/** Removes everything of some modes. What belongs to others is neither read nor touched. */
public final class Cleanup {
    /** kube-proxy 1.36's. */
    private static final String KUBE_PROXY_TABLE = "kube-proxy";

    private final List<String> removed = new ArrayList<>();
    private final List<String> problems = new ArrayList<>();

    private Cleanup() {}

    /**
     * What came of it, one text per thing.
     *
     * @param removed what is gone
     * @param problems what could not be removed, or looked for
     */
    public record Report(List<String> removed, List<String> problems) {}

    /** Everything, of all modes. */
    public static Report all() {
        return of(EnumSet.allOf(ProxyMode.class), true);
    }

    /** Whose leftovers a proxy takes away once it carries traffic. */
    public enum Scope {
        NOTHING,
        /** Those of Sluice in other modes. */
        OURS,
        /** Also those of a kube-proxy, whose place it takes. */
        KUBE_PROXY
    }

    /** What other modes left. */
    public static Report others(ProxyMode active, Scope scope) {
        return switch (scope) {
            case NOTHING -> new Report(List.of(), List.of());
            case OURS -> of(EnumSet.complementOf(EnumSet.of(active)), false);
            case KUBE_PROXY -> of(EnumSet.complementOf(EnumSet.of(active)), true);
        };
    }

    private static Report of(Set<ProxyMode> modes, boolean kubeProxy) {
        Cleanup cleanup = new Cleanup();
        if (modes.contains(ProxyMode.USERSPACE)) {
            cleanup.attempt(cleanup::routes);
        }
        cleanup.attempt(() -> cleanup.tables(modes.contains(ProxyMode.NFTABLES), kubeProxy));
        if (modes.contains(ProxyMode.IPTABLES)) {
            cleanup.removed.addAll(IptablesCleanUp.run(kubeProxy, cleanup.problems));
        }
        if (modes.contains(ProxyMode.IPVS) && kubeProxy) {
            cleanup.removed.addAll(IpvsCleanUp.run(cleanup.problems));
        }
        return new Report(List.copyOf(cleanup.removed), List.copyOf(cleanup.problems));
    }

    /** What may fail. */
    private interface Step {
        void run() throws IOException;
    }

    private void attempt(Step step) {
        try {
            step.run();
        } catch (IOException e) {
            problems.add(e.getMessage());
        }
    }

    private void routes() throws KernelException {
        for (Cidr route : RouteNetlink.listLocal()) {
            RouteNetlink.deleteLocal(route);
            removed.add("local route " + route);
        }
    }

    private void tables(boolean ours, boolean kubeProxy) throws KernelException {
        List<String> tables = new ArrayList<>();
        if (ours) {
            tables.add(NftProgram.TABLE);
        }
        if (kubeProxy) {
            tables.add(KUBE_PROXY_TABLE);
        }
        try (NetlinkNft door = NetlinkNft.open()) {
            for (IpFamily family : IpFamily.values()) {
                for (String table : tables) {
                    if (door.deleteTable(family, table)) {
                        String ip = family == IpFamily.IPV4 ? "ip" : "ip6";
                        removed.add("nftables table " + ip + ' ' + table);
                    }
                }
            }
        }
    }
}
