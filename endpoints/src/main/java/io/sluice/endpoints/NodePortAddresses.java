package io.sluice.endpoints;

import io.sluice.api.net.Cidr;
import io.sluice.api.net.IpAddress;
import io.sluice.api.net.IpFamily;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;

/**
 * On which addresses of the node its node ports answer: {@code nodePortAddresses} of kube-proxy's configuration. Pure.
 *
 * @param primary only the node's primary address of each family
 * @param blocks else only addresses in these; a family without a block answers on all
 */
public record NodePortAddresses(boolean primary, List<Cidr> blocks) {
    public static final NodePortAddresses ALL = new NodePortAddresses(false, List.of());

    /** @throws IllegalArgumentException where an entry is neither a CIDR nor the sole word {@code primary} */
    public static NodePortAddresses parse(List<String> entries) {
        if (entries.equals(List.of("primary"))) {
            return new NodePortAddresses(true, List.of());
        }
        List<Cidr> blocks = new ArrayList<>();
        for (String entry : entries) {
            blocks.add(
                    Cidr.parse(entry)
                            .orElseThrow(
                                    () -> new IllegalArgumentException(
                                            "nodePortAddresses: \"" + entry
                                                    + "\" is neither a CIDR like 10.0.0.0/8 nor the only entry \"primary\"")));
        }
        return new NodePortAddresses(false, List.copyOf(blocks));
    }

    /** Whether all addresses of the family answer, whatever they are. */
    public boolean matchesAll(IpFamily family) {
        List<Cidr> own =
                blocks.stream().filter(block -> block.family() == family).toList();
        return !primary && (own.isEmpty() || own.stream().anyMatch(block -> block.prefix() == 0));
    }

    /** The addresses that answer where not all do. @param interfaces all addresses of the node's interfaces */
    public List<IpAddress> select(
            IpFamily family, NodeView node, Collection<IpAddress> interfaces) {
        if (primary) {
            Optional<IpAddress> address = node.primary(family);
            return address.map(List::of).orElse(List.of());
        }
        return interfaces.stream()
                .filter(address -> address.family() == family)
                .filter(address -> blocks.stream().anyMatch(block -> block.contains(address)))
                .distinct()
                .sorted()
                .toList();
    }

    /** Whether a node port answers on this address of the node. */
    public boolean answersOn(IpAddress address, NodeView node) {
        if (matchesAll(address.family())) {
            return true;
        }
        return primary
                ? node.primary(address.family()).filter(address::equals).isPresent()
                : blocks.stream().anyMatch(block -> block.contains(address));
    }
}
