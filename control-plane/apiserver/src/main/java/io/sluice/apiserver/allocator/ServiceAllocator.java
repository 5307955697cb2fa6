package io.sluice.apiserver.allocator;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.MissingNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

import io.sluice.api.meta.GroupVersionKind;
import io.sluice.api.net.Cidr;
import io.sluice.api.net.IpAddress;
import io.sluice.api.net.IpFamily;
import io.sluice.api.object.KubeObject;
import io.sluice.apiserver.registry.Statuses;
import io.sluice.apiserver.registry.Strategy.Reservation;
import io.sluice.apiserver.validation.FieldErrors;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.random.RandomGenerator;

/**
 * Gives Services their cluster addresses and node ports. Thread-safe: one lock around all pools, held for microseconds.
 *
 * <p>The rule that makes "never twice" true: what an object is going to hold is taken before the store is asked, and what it no longer
 * holds is given back after the store has said yes. So a value is always free, or held by a stored object, or by a write under way.
 */
public final class ServiceAllocator {
    private static final GroupVersionKind SERVICE = new GroupVersionKind("", "v1", "Service");

    private final Map<IpFamily, IpPool> pools = new LinkedHashMap<>();
    private final PortPool ports;
    private final Object lock = new Object();

    /**
     * @param ranges one or two, of different families; the first is the cluster's default family
     * @param firstPort node ports from here
     * @param lastPort to here, inclusive
     */
    public ServiceAllocator(
            List<Cidr> ranges, int firstPort, int lastPort, RandomGenerator random) {
        for (Cidr range : ranges) {
            if (pools.put(range.family(), new IpPool(range, random)) != null) {
                throw new IllegalArgumentException(
                        "service ranges must be of different families, found " + ranges);
            }
        }
        if (pools.isEmpty()) {
            throw new IllegalArgumentException("at least one service range is needed");
        }
        this.ports = new PortPool(firstPort, lastPort, random);
    }

    /** Takes what stored Services hold; once, before the first {@link #reserve}. */
    public void load(Iterable<ObjectNode> services) {
        synchronized (lock) {
            for (ObjectNode service : services) {
                Holdings held = Holdings.of(service);
                held.addresses()
                        .forEach(address -> pool(address).ifPresent(pool -> pool.take(address)));
                held.ports().forEach(ports::take);
            }
        }
    }

    /**
     * Takes what the Service needs beyond what {@code old} holds, and writes it into the Service.
     *
     * @param old empty for a creation
     * @throws io.sluice.apiserver.registry.ApiException with the field named; nothing stays taken then
     */
    public Reservation reserve(ObjectNode service, Optional<ObjectNode> old) {
        FieldErrors errors = new FieldErrors();
        Holdings before = old.map(Holdings::of).orElse(Holdings.NONE);
        Taken taken = new Taken(before);
        ObjectNode spec = KubeObject.child(service, "spec");
        JsonNode oldSpec = old.map(object -> object.path("spec")).orElse(MissingNode.getInstance());
        synchronized (lock) {
            if (!KubeObject.text(spec, "type").equals("ExternalName")) {
                boolean wasExternal = KubeObject.text(oldSpec, "type").equals("ExternalName");
                Families.decide(
                        List.copyOf(pools.keySet()),
                        spec,
                        wasExternal ? MissingNode.getInstance() : oldSpec,
                        errors);
                if (errors.isEmpty()) {
                    new AddressChoice(pools, taken, errors).choose(spec);
                }
            }
            if (errors.isEmpty()) {
                new PortChoice(ports, taken, errors).choose(spec);
            }
            if (!errors.isEmpty()) {
                giveBack(taken.addresses, taken.ports);
                throw Statuses.invalid(SERVICE, KubeObject.of(service).name(), errors.list());
            }
        }
        return new Held(taken, before.minus(Holdings.of(service)));
    }

    /** Gives back what a deleted Service held. */
    public void release(ObjectNode service) {
        Holdings held = Holdings.of(service);
        synchronized (lock) {
            giveBack(held.addresses(), held.ports());
        }
    }

    private void giveBack(Set<IpAddress> addresses, Set<Integer> numbers) {
        addresses.forEach(address -> pool(address).ifPresent(pool -> pool.giveBack(address)));
        numbers.forEach(ports::giveBack);
    }

    private Optional<IpPool> pool(IpAddress address) {
        return Optional.ofNullable(pools.get(address.family()))
                .filter(pool -> pool.contains(address));
    }

    /** What one call took, beyond what the object held before. */
    static final class Taken {
        final Holdings before;
        final Set<IpAddress> addresses = new HashSet<>();
        final Set<Integer> ports = new HashSet<>();

        Taken(Holdings before) {
            this.before = before;
        }
    }

    private final class Held implements Reservation {
        private final Taken taken;
        private final Holdings dropped;

        Held(Taken taken, Holdings dropped) {
            this.taken = taken;
            this.dropped = dropped;
        }

        @Override
        public void keep() {
            synchronized (lock) {
                giveBack(dropped.addresses(), dropped.ports());
            }
        }

        @Override
        public void close() {
            synchronized (lock) {
                giveBack(taken.addresses, taken.ports);
            }
        }
    }

    /** What a Service holds. */
    record Holdings(Set<IpAddress> addresses, Set<Integer> ports) {
        static final Holdings NONE = new Holdings(Set.of(), Set.of());

        static Holdings of(ObjectNode service) {
            JsonNode spec = service.path("spec");
            Set<IpAddress> addresses = new HashSet<>();
            List<JsonNode> texts = new ArrayList<>();
            spec.path("clusterIPs").forEach(texts::add);
            texts.add(spec.path("clusterIP"));
            texts.forEach(text -> IpAddress.parse(text.asText()).ifPresent(addresses::add));
            Set<Integer> ports = new HashSet<>();
            spec.path("ports").forEach(port -> ports.add(port.path("nodePort").asInt()));
            ports.add(spec.path("healthCheckNodePort").asInt());
            ports.remove(0);
            return new Holdings(addresses, ports);
        }

        Holdings minus(Holdings other) {
            Set<IpAddress> restAddresses = new HashSet<>(addresses);
            restAddresses.removeAll(other.addresses);
            Set<Integer> restPorts = new HashSet<>(ports);
            restPorts.removeAll(other.ports);
            return new Holdings(restAddresses, restPorts);
        }
    }
}
