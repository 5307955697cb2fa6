package io.sluice.iptables;

import java.util.List;
import java.util.SortedMap;

/**
 * What one Service port has in the tables.
 *
 * @param chains of its own, all in table nat
 * @param services in nat's KUBE-SERVICES
 * @param nodePorts in nat's KUBE-NODEPORTS
 * @param unserved in filter's KUBE-SERVICES: cluster IPs nobody serves
 * @param unservedOutside in filter's KUBE-EXTERNAL-SERVICES: other addresses nobody serves
 * @param guarded in filter's KUBE-PROXY-FIREWALL: VIPs that only some may use
 * @param healthPorts in filter's KUBE-NODEPORTS
 */
record ServiceRules(
        SortedMap<String, List<Rule>> chains,
        List<Rule> services,
        List<Rule> nodePorts,
        List<Rule> unserved,
        List<Rule> unservedOutside,
        List<Rule> guarded,
        List<Rule> healthPorts) {

    /** Whether chains that all Services share need not be written again. */
    boolean sharesTheSame(ServiceRules other) {
        return services.equals(other.services)
                && nodePorts.equals(other.nodePorts)
                && unserved.equals(other.unserved)
                && unservedOutside.equals(other.unservedOutside)
                && guarded.equals(other.guarded)
                && healthPorts.equals(other.healthPorts);
    }
}
