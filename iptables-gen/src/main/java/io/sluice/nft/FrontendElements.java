package io.sluice.nft;

import io.sluice.api.net.Cidr;
import io.sluice.api.net.Protocol;
import io.sluice.endpoints.Backend;
import io.sluice.endpoints.Frontend;
import io.sluice.endpoints.FrontendIndex.Claim;
import io.sluice.endpoints.NodeView;
import io.sluice.endpoints.ServicePortImage;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

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
        if (port.affinitySeconds() == 0) {
            endpoints(NftProgram.endpoints(list.size()), list);
            endpoints(NftProgram.nearEndpoints(near.size()), near);
        } else {
            add(NftProgram.affinity(port.affinitySeconds()).name(), key);
            sticky(NftProgram.sticky(list.size()), NftProgram.STICKY, list);
            sticky(NftProgram.nearSticky(near.size()), NftProgram.NEAR_STICKY, near);
        }
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
                    frontend(at).address(range.last()).bits(),
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

    private void endpoints(SetSpec map, List<Backend> list) {
        String name = map.name();
        for (int i = 0; i < list.size(); i++) {
            Backend backend = list.get(i);
            out.add(Element.of(
                    name, key.plus(i), Bits.endpoint(backend.address(), backend.port()), ""));
        }
    }

    private void sticky(SetSpec numbers, String endpoints, List<Backend> list) {
        Set<Integer> taken = new HashSet<>();
        for (int i = 0; i < list.size(); i++) {
            Backend backend = list.get(i);
            int number = number(backend, taken);
            out.add(Element.of(
                    numbers.name(), key.plus(i), Bits.of().number(number).bits(), ""));
            out.add(Element.of(
                    endpoints,
                    key.plus(number),
                    Bits.endpoint(backend.address(), backend.port()),
                    ""));
        }
    }

    /**
     * An endpoint's own, whatever others there are. Where two fall together, once in 100,000 Services of 300 endpoints, the later one
     * takes the next, and its clients may have to move when the other goes.
     */
    private static int number(Backend backend, Set<Integer> taken) {
        int number = backend.text().hashCode() * 0x9e3779b1;
        while (number == 0 || !taken.add(number)) {
            number++;
        }
        return number;
    }

    private void hairpin(List<Backend> list, List<Backend> near) {
        Set<Backend> local = new LinkedHashSet<>(0);
        for (Backend backend : list) {
            if (backend.local()) {
                local.add(backend);
            }
        }
        for (Backend backend : near) {
            if (backend.local()) {
                local.add(backend);
            }
        }
        for (Backend backend : local) {
            Bits.Builder pair = Bits.of().address(backend.address()).address(backend.address());
            add(
                    NftProgram.HAIRPIN,
                    pair.protocol(at.protocol()).port(backend.port()).bits());
        }
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
