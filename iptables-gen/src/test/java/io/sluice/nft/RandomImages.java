package io.sluice.nft;

import io.sluice.api.meta.NamespacedName;
import io.sluice.api.net.Cidr;
import io.sluice.api.net.IpAddress;
import io.sluice.api.net.IpFamily;
import io.sluice.api.net.Protocol;
import io.sluice.endpoints.Backend;
import io.sluice.endpoints.EndpointChoice;
import io.sluice.endpoints.NodeView;
import io.sluice.endpoints.ProxyDelta;
import io.sluice.endpoints.ProxyImage;
import io.sluice.endpoints.ServicePortImage;
import io.sluice.endpoints.ServicePortName;
import io.sluice.rules.NodeFacts;

import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.TreeSet;

/** Images out of a small world, so that Services meet in addresses and endpoints. */
public final class RandomImages {
    static final List<IpAddress> NODE_ADDRESSES = List.of(
            IpAddress.of("192.0.2.1"),
            IpAddress.of("198.51.100.1"),
            IpAddress.of("2001:db8::1"),
            IpAddress.of("2001:db8:1::1"));
    private final Random random;

    public RandomImages(Random random) {
        this.random = random;
    }

    /** A complete image, as a map. */
    public record Image(Map<ServicePortName, ServicePortImage> all) implements ProxyImage {
        @Override
        public Optional<ServicePortImage> find(ServicePortName name) {
            return Optional.ofNullable(all.get(name));
        }

        @Override
        public Collection<ServicePortImage> ports() {
            return all.values();
        }
    }

    public static final Image EMPTY = new Image(Map.of());

    /** From one to the other. */
    public static ProxyDelta delta(Image before, Image after) {
        TreeSet<ServicePortName> names = new TreeSet<>(before.all().keySet());
        names.addAll(after.all().keySet());
        List<ProxyDelta.Change> changes = names.stream()
                .filter(name -> !before.find(name).equals(after.find(name)))
                .map(name -> new ProxyDelta.Change(name, before.find(name), after.find(name)))
                .toList();
        return new ProxyDelta(changes, List.of());
    }

    /** With a few Services other than before. */
    public Image next(Image before) {
        Map<ServicePortName, ServicePortImage> all = new LinkedHashMap<>(before.all());
        int changes = 1 + random.nextInt(4);
        for (int i = 0; i < changes; i++) {
            ServicePortName name = name();
            if (random.nextInt(4) == 0) {
                all.remove(name);
            } else {
                all.put(name, port(name));
            }
        }
        return new Image(all);
    }

    public NodeFacts facts() {
        List<IpAddress> interfaces = new ArrayList<>();
        interfaces.add(IpAddress.of("127.0.0.1"));
        interfaces.add(IpAddress.of("::1"));
        NODE_ADDRESSES.stream().filter(address -> random.nextInt(4) > 0).forEach(interfaces::add);
        List<IpAddress> view =
                NODE_ADDRESSES.stream().filter(address -> random.nextInt(4) > 0).toList();
        List<Cidr> ranges = random.nextInt(8) == 0
                ? List.of()
                : List.of(Cidr.of("10.96.0.0/16"), Cidr.of("fd00:96::/112"));
        return new NodeFacts(new NodeView("node", "", view), interfaces, ranges);
    }

    private ServicePortName name() {
        int service = random.nextInt(12);
        return new ServicePortName(
                new NamespacedName("default", "service-" + service),
                random.nextBoolean() ? "" : "web",
                Protocol.values()[service % 3],
                IpFamily.values()[service % 2]);
    }

    private ServicePortImage port(ServicePortName name) {
        boolean v4 = name.family() == IpFamily.IPV4;
        int number = Integer.parseInt(name.service().name().substring(8));
        String prefix = v4 ? "10.96.0." : "fd00:96::";
        String world = v4 ? "203.0.113." : "2001:db8:9::";
        List<IpAddress> externalIps = new ArrayList<>();
        List<IpAddress> vips = new ArrayList<>();
        if (random.nextInt(3) == 0) {
            externalIps.add(IpAddress.of(world + (1 + random.nextInt(3))));
        }
        if (random.nextInt(6) == 0) {
            externalIps.add(NODE_ADDRESSES.get((v4 ? 0 : 2) + random.nextInt(2)));
        }
        if (random.nextInt(3) == 0) {
            vips.add(IpAddress.of(world + (3 + random.nextInt(3))));
        }
        boolean restricted = random.nextInt(3) == 0;
        List<Cidr> ranges = new ArrayList<>();
        for (int i = random.nextInt(4); restricted && i > 0; i--) {
            ranges.add(range(v4));
        }
        return new ServicePortImage(
                name,
                IpAddress.of(prefix + (number + 1)),
                80 + random.nextInt(2),
                random.nextInt(2) == 0 ? 0 : 30_000 + random.nextInt(4),
                externalIps.stream().distinct().toList(),
                vips.stream().distinct().toList(),
                ranges,
                restricted,
                random.nextInt(3) == 0,
                random.nextInt(3) == 0,
                0,
                random.nextInt(3) == 0 ? 60 * (1 + random.nextInt(2)) : 0,
                endpoints(v4));
    }

    private Cidr range(boolean v4) {
        List<String> some = v4
                ? List.of(
                        "10.0.0.0/8",
                        "10.1.0.0/16",
                        "192.0.2.1/32",
                        "198.51.100.0/24",
                        "10.1.0.0/16")
                : List.of("fd00::/8", "fd00:1::/32", "2001:db8::1/128", "2001:db8:1::/48");
        return Cidr.of(some.get(random.nextInt(some.size())));
    }

    private EndpointChoice endpoints(boolean v4) {
        List<Backend> cluster = new ArrayList<>();
        int count = random.nextInt(3) == 0 ? 0 : random.nextInt(5);
        for (int i = 0; i < count; i++) {
            String address = (v4 ? "10.1.0." : "fd00:1::") + (1 + random.nextInt(6));
            Backend backend = new Backend(
                    IpAddress.of(address), 8080 + random.nextInt(2), address.hashCode() % 2 == 0);
            if (!cluster.contains(backend)) {
                cluster.add(backend);
            }
        }
        List<Backend> local = cluster.stream().filter(Backend::local).toList();
        boolean elsewhere = random.nextInt(4) == 0;
        return new EndpointChoice(
                List.copyOf(cluster),
                local,
                !cluster.isEmpty() || elsewhere,
                List.copyOf(cluster),
                List.of(),
                List.of());
    }
}
