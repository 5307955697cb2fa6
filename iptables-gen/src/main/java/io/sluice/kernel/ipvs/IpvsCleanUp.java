package io.sluice.kernel.ipvs;

import io.sluice.api.net.IpAddress;
import io.sluice.api.net.IpFamily;
import io.sluice.ipvs.FoundServer;
import io.sluice.ipvs.Leftovers;
import io.sluice.ipvs.Operation;
import io.sluice.kernel.KernelException;
import io.sluice.kernel.LinkNetlink;
import io.sluice.kernel.ipset.NetlinkIpset;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** Takes away what a kube-proxy in mode IPVS left, but for its iptables rules, which must be gone before. */
public final class IpvsCleanUp {
    private static final String KIND = "dummy";

    private IpvsCleanUp() {}

    /**
     * @param problems what could not be done is added here
     * @return what is gone, one text per thing
     */
    public static List<String> run(List<String> problems) {
        List<String> removed = new ArrayList<>();
        try {
            Optional<LinkNetlink.Link> device = LinkNetlink.find(Leftovers.DEVICE)
                    .filter(link -> link.kind().equals(KIND));
            // Without it nothing tells kube-proxy's virtual servers from others.
            if (device.isPresent()) {
                servers(LinkNetlink.addresses(device.get()), removed, problems);
                LinkNetlink.delete(device.get());
                removed.add("interface " + Leftovers.DEVICE);
            }
        } catch (KernelException e) {
            problems.add(e.getMessage());
        }
        try {
            sets(removed, problems);
        } catch (KernelException e) {
            problems.add(e.getMessage());
        }
        return removed;
    }

    private static void servers(Set<IpAddress> bound, List<String> removed, List<String> problems)
            throws KernelException {
        try (NetlinkIpvs door = NetlinkIpvs.open()) {
            List<FoundServer> found = new ArrayList<>();
            for (IpFamily family : IpFamily.values()) {
                found.addAll(door.servers(family));
            }
            List<FoundServer> own = Leftovers.own(found, bound);
            for (FoundServer server : own) {
                door.apply(new Operation.DeleteServer(server.at()));
            }
            if (!own.isEmpty()) {
                removed.add(own.size() + " IPVS virtual servers");
            }
            if (own.size() < found.size()) {
                problems.add((found.size() - own.size())
                        + " IPVS virtual servers are left, which nothing shows to be kube-proxy's;"
                        + " ipvsadm -Ln lists them");
            }
        }
    }

    private static void sets(List<String> removed, List<String> problems) throws KernelException {
        try (NetlinkIpset ipset = NetlinkIpset.open()) {
            for (String set : Leftovers.sets()) {
                switch (ipset.destroy(set)) {
                    case GONE -> removed.add("ipset " + set);
                    case NOT_THERE -> {}
                    case IN_USE ->
                        problems.add("ipset " + set + " is left: iptables rules still ask it");
                }
            }
        }
    }
}
