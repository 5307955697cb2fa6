package io.sluice.nft;

import io.sluice.api.net.Cidr;
import io.sluice.api.net.IpAddress;
import io.sluice.api.net.Protocol;
import io.sluice.endpoints.Backend;
import io.sluice.endpoints.Frontend;
import io.sluice.endpoints.FrontendIndex.Claim;
import io.sluice.endpoints.NodeView;
import io.sluice.endpoints.ServicePortImage;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** The elements that one frontend needs. Pure. */
final class FrontendElements {
    private final Frontend.Key at;
    private final Claim claim;
    private final ServicePortImage port;
    private final NodeView node;
    private final Bits key;
    private final String comment;
    private final List<Element> out = new ArrayList<>();

    private FrontendElements(Frontend.Key at, Claim claim, NodeView node) {
        this.at = at;
        this.claim = claim;
        this.port = claim.port();
        this.node = node;
        this.key = frontend(at).bits();
        this.comment = port.name().toString();
    }

    /**
     * @param at where clients knock; for a NodePort at one of the node's addresses
     * @param claim the owner's
     */
    static List<Element> of(Frontend.Key at, Claim claim, NodeView node) {
        FrontendElements elements = new FrontendElements(at, claim, node);
        elements.collect();
        return elements.out;
    }

    /** Endpoints for clients off this node, or for all where the policy makes no difference. */
    static List<Backend> list(Claim claim) {
        return isInternal(claim)
                ? claim.port().internalBackends()
                : claim.port().externalBackends();
    }

    /** Endpoints for clients on this node where they differ; else empty. */
    static List<Backend> nearList(Claim claim) {
        return !isInternal(claim) && claim.port().externalLocal()
                ? claim.port().endpoints().cluster()
                : List.of();
    }

    /** As long as the Service port has an endpoint. */
    static int affinitySeconds(Claim claim) {
        return list(claim).isEmpty() && nearList(claim).isEmpty()
                ? 0
                : claim.port().affinitySeconds();
    }

    private static boolean isInternal(Claim claim) {
        return claim.frontend().kind() == Frontend.Kind.CLUSTER_IP;
    }

    private void collect() {
        if (isInternal(claim)) {
            add(NftProgram.CLUSTER_IPS, Bits.of().address(at.address()).bits());
        }
        List<Backend> list = list(claim);
        List<Backend> near = nearList(claim);
        if (list.isEmpty()) {
            refuse();
        }
        if (port.endpoints().anywhere()) {
            restrict();
        }
        if (list.isEmpty() && near.isEmpty()) {
            return;
        }
        addNamed(NftProgram.FRONTENDS);
        boolean external = !isInternal(claim);
        if (external && !port.externalLocal()) {
            add(NftProgram.MASQUERADED, key);
        }
        if (!near.isEmpty()) {
            add(NftProgram.NEAR, key);
        }
        endpoints(NftProgram.endpoints(list.size()), list);
        endpoints(NftProgram.nearEndpoints(near.size()), near);
        stick(list, near);
        hairpin(list, near);
    }

    private void refuse() {
        boolean local = isInternal(claim) ? port.internalLocal() : port.externalLocal();
        addNamed(
                port.endpoints().anywhere() && local
                        ? NftProgram.NO_LOCAL_ENDPOINTS
                        : NftProgram.NO_ENDPOINTS);
    }

    private void restrict() {
        if (claim.frontend().kind() != Frontend.Kind.LOAD_BALANCER || !port.vipsRestricted()) {
            return;
        }
        add(NftProgram.RESTRICTED, key);
        for (Cidr range : allowed()) {
            out.add(new Element(
                    NftProgram.ALLOWED_SOURCES,
                    frontend(at).address(range.address()).bits(),
                    frontend(at).address(last(range)).bits(),
                    Bits.NONE,
                    ""));
        }
    }

    /** Without those that others contain: the kernel takes no ranges that overlap. */
    private List<Cidr> allowed() {
        List<Cidr> ranges = new ArrayList<>(port.sourceRanges());
        boolean nodeAllowed = node.addresses().stream()
                .anyMatch(address -> ranges.stream().anyMatch(range -> range.contains(address)));
        if (nodeAllowed) {
            // What the node sends to an address it holds itself has that address as its source.
            ranges.add(new Cidr(at.address(), at.address().family().bits()));
        }
        List<Cidr> out = new ArrayList<>();
        ranges.stream()
                .sorted(java.util.Comparator.comparingInt(Cidr::prefix))
                .filter(range -> range.family() == at.address().family())
                .forEach(range -> {
                    if (out.stream().noneMatch(other -> other.contains(range.address()))) {
                        out.add(range);
                    }
                });
        return out;
    }

    private static IpAddress last(Cidr range) {
        byte[] bytes = range.address().bytes();
        for (int bit = range.prefix(); bit < bytes.length * 8; bit++) {
            bytes[bit / 8] |= (byte) (0x80 >>> bit % 8);
        }
        return IpAddress.of(bytes);
    }

    private void endpoints(SetSpec map, List<Backend> list) {
        for (int i = 0; i < list.size(); i++) {
            Backend backend = list.get(i);
            out.add(Element.of(
                    map.name(),
                    frontend(at).number(i).bits(),
                    Bits.of().address(backend.address()).port(backend.port()).bits(),
                    ""));
        }
    }

    private void stick(List<Backend> list, List<Backend> near) {
        int seconds = port.affinitySeconds();
        if (seconds == 0) {
            return;
        }
        out.add(Element.of(
                NftProgram.affinityServices(seconds).name(),
                key,
                Bits.of().number(number()).bits(),
                ""));
        list.forEach(backend -> add(NftProgram.STICKY, alive(backend)));
        near.forEach(backend -> add(NftProgram.NEAR_STICKY, alive(backend)));
    }

    /** The same at all frontends of a Service port; two that share one by chance only waste an entry, for endpoints are checked. */
    private int number() {
        return (port.name() + "/" + at.protocol()).hashCode();
    }

    private Bits alive(Backend backend) {
        return Bits.of()
                .address(backend.address())
                .port(backend.port())
                .address(at.address())
                .protocol(at.protocol())
                .port(at.port())
                .bits();
    }

    private void hairpin(List<Backend> list, List<Backend> near) {
        Stream.concat(list.stream(), near.stream())
                .filter(Backend::local)
                .distinct()
                .forEach(backend -> add(
                        NftProgram.HAIRPIN,
                        Bits.of()
                                .address(backend.address())
                                .address(backend.address())
                                .protocol(at.protocol())
                                .port(backend.port())
                                .bits()));
    }

    private static Bits.Builder frontend(Frontend.Key at) {
        Protocol protocol = at.protocol();
        return Bits.of().address(at.address()).protocol(protocol).port(at.port());
    }

    private void add(String set, Bits bits) {
        out.add(Element.of(set, bits, ""));
    }

    private void addNamed(String set) {
        out.add(Element.of(set, key, comment));
    }
}
