package io.sluice.endpoints;

import io.sluice.api.net.IpAddress;
import io.sluice.api.net.IpFamily;
import io.sluice.api.net.Protocol;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/** Says what happens to a connection to an address and port, and why. Pure; looks at every Service port once. */
public final class Explainer {
    private static final int MOST_HINTS = 10;

    private final ProxyImage image;
    private final NodeView node;
    private final NodePortAddresses nodePortAddresses;
    private final Collection<IpAddress> nodeAddresses;

    /** @param nodeAddresses all addresses of the node's interfaces */
    public Explainer(
            ProxyImage image,
            NodeView node,
            NodePortAddresses nodePortAddresses,
            Collection<IpAddress> nodeAddresses) {
        this.image = image;
        this.node = node;
        this.nodePortAddresses = nodePortAddresses;
        this.nodeAddresses = nodeAddresses;
    }

    public Explanation explain(IpAddress address, int port, Protocol protocol) {
        List<Explanation.Owner> owners = new ArrayList<>();
        for (ServicePortImage candidate : image.ports()) {
            for (Frontend frontend : Frontends.of(candidate)) {
                if (frontend.port() == port
                        && frontend.protocol() == protocol
                        && answers(frontend, address)) {
                    owners.add(new Explanation.Owner(
                            candidate, frontend, decisions(candidate, frontend)));
                }
            }
        }
        owners.sort(Comparator.comparing(
                        (Explanation.Owner owner) -> owner.frontend().kind())
                .thenComparing(owner -> owner.port().name()));
        String target = address.withPort(port) + '/' + protocol.name().toLowerCase();
        return owners.isEmpty()
                ? new Explanation(
                        target, node.name(), Optional.empty(), hints(address, port, protocol))
                : new Explanation(
                        target, node.name(), Optional.of(owners.getFirst()), notes(owners));
    }

    private List<String> notes(List<Explanation.Owner> owners) {
        Explanation.Owner owner = owners.getFirst();
        List<String> out = new ArrayList<>(Advice.of(
                owner.port(),
                owner.frontend().kind(),
                owner.outcomes().stream().map(Explanation.Outcome::decision).toList(),
                node.name()));
        owners.stream()
                .skip(1)
                .limit(MOST_HINTS)
                .forEach(loser -> out.add("Service " + loser.port().name() + " claims it too, as "
                        + loser.frontend().kind().text() + ", and gets nothing here"));
        return out;
    }

    private boolean answers(Frontend frontend, IpAddress address) {
        if (frontend.kind() != Frontend.Kind.NODE_PORT) {
            return frontend.address().equals(address);
        }
        return frontend.address().family() == address.family()
                && isNodeAddress(address)
                && nodePortAddresses.answersOn(address, node);
    }

    private boolean isNodeAddress(IpAddress address) {
        return address.isLoopback()
                || nodeAddresses.contains(address)
                || node.addresses().contains(address);
    }

    private List<Explanation.Outcome> decisions(ServicePortImage port, Frontend frontend) {
        List<Explanation.Outcome> out = new ArrayList<>();
        IpAddress client = client(port, frontend);
        IpAddress self = node.primary(port.name().family()).orElse(client);
        for (SourceClass from : SourceClass.values()) {
            IpAddress source = from == SourceClass.NODE ? self : client;
            out.add(new Explanation.Outcome(
                    from, Decision.of(port, frontend.kind(), from, source)));
        }
        return out;
    }

    /** A client that source ranges admit; where none do, some address of the documentation blocks (RFC 5737, RFC 3849). */
    private static IpAddress client(ServicePortImage port, Frontend frontend) {
        boolean restricted =
                frontend.kind() == Frontend.Kind.LOAD_BALANCER && port.vipsRestricted();
        boolean v4 = port.name().family() == IpFamily.IPV4;
        return restricted && !port.sourceRanges().isEmpty()
                ? port.sourceRanges().getFirst().address()
                : IpAddress.of(v4 ? "203.0.113.1" : "2001:db8::1");
    }

    private List<String> hints(IpAddress address, int port, Protocol protocol) {
        List<String> out = new ArrayList<>();
        for (ServicePortImage candidate : image.ports()) {
            for (Frontend frontend : Frontends.of(candidate)) {
                boolean nodePort = frontend.kind() == Frontend.Kind.NODE_PORT;
                if (!nodePort && frontend.address().equals(address)) {
                    out.add("Service " + candidate.name() + " has this address as its "
                            + frontend.kind().text() + ", with port " + frontend.port() + '/'
                            + frontend.protocol().name().toLowerCase());
                } else if (nodePort
                        && frontend.port() == port
                        && !speaksFor(candidate.name(), address.family())) {
                    out.add(nodePortHint(candidate, frontend, address, protocol));
                }
            }
        }
        out.sort(Comparator.naturalOrder());
        if (out.isEmpty()) {
            out.add(
                    "no Service this proxy sees has this address or node port; it does not see Services without a"
                            + " cluster IP (headless), ExternalName Services, and those with label"
                            + " service.kubernetes.io/service-proxy-name");
        }
        if (out.size() <= MOST_HINTS) {
            return out;
        }
        List<String> some = new ArrayList<>(out.subList(0, MOST_HINTS));
        some.add("and " + (out.size() - MOST_HINTS) + " more");
        return some;
    }

    /** Whether the same port of the asked family has its own word, so that another family's would only confuse. */
    private boolean speaksFor(ServicePortName name, IpFamily asked) {
        return name.family() != asked
                && image.find(new ServicePortName(
                                name.service(), name.port(), name.protocol(), asked))
                        .isPresent();
    }

    private String nodePortHint(
            ServicePortImage candidate, Frontend frontend, IpAddress address, Protocol protocol) {
        String who = "Service " + candidate.name() + " has node port " + frontend.port() + '/'
                + frontend.protocol().name().toLowerCase();
        if (frontend.protocol() != protocol) {
            return who + ": another protocol";
        }
        if (frontend.address().family() != address.family()) {
            return who + " for " + frontend.address().family().text() + " only";
        }
        return isNodeAddress(address)
                ? who + ", but nodePortAddresses leaves " + address + " out"
                : who + ", but " + address + " is no address of node " + node.name();
    }
}
