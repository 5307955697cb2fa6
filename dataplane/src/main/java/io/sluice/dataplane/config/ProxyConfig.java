package io.sluice.dataplane.config;

import com.fasterxml.jackson.databind.node.ObjectNode;

import io.sluice.rules.LocalDetector;
import io.sluice.rules.RuleSettings;

import java.time.Duration;

/**
 * What a proxy is to do, checked.
 *
 * @param mode how bytes are carried
 * @param modeReason why this mode, where it was not asked for by name; else empty
 * @param nodeName in lower case
 * @param kubeconfig path; empty in a pod
 * @param master replaces the kubeconfig's server; empty to keep it
 * @param rules what rules of kernel modes and the relay follow
 * @param bindAddress decides the primary family
 * @param healthzBindAddress {@code host:port}; empty for no server
 * @param metricsBindAddress {@code host:port}; empty for no server
 * @param minSyncPeriod shortest time between the end of a sync and the next
 * @param syncPeriod how long until a failed sync is tried again at the latest, how often the kernel is looked at where nothing tells of
 *     changes, and half of what health allows
 * @param externalIps whether {@code spec.externalIPs} count: feature gate AllowServiceExternalIPs
 * @param oomScoreAdj -1000…1000
 * @param effective the whole configuration, for {@code /configz}
 */
public record ProxyConfig(
        ProxyMode mode,
        String modeReason,
        String nodeName,
        String kubeconfig,
        String master,
        RuleSettings rules,
        String bindAddress,
        String healthzBindAddress,
        String metricsBindAddress,
        boolean bindAddressHardFail,
        Duration minSyncPeriod,
        Duration syncPeriod,
        boolean externalIps,
        int oomScoreAdj,
        ObjectNode effective) {

    /** Whether pods of this node are told by its podCIDRs, which whoever starts the proxy has to fill in. */
    public boolean detectsByPodBlocks() {
        return effective.path("detectLocalMode").asText().equals("NodeCIDR");
    }

    /** The same, telling pods of this node like that. */
    public ProxyConfig withDetector(LocalDetector detector) {
        return new ProxyConfig(
                mode,
                modeReason,
                nodeName,
                kubeconfig,
                master,
                new RuleSettings(
                        rules.mark(),
                        rules.masqueradeAll(),
                        detector,
                        rules.nodePortAddresses(),
                        rules.localhostNodePorts(),
                        rules.dropInvalid()),
                bindAddress,
                healthzBindAddress,
                metricsBindAddress,
                bindAddressHardFail,
                minSyncPeriod,
                syncPeriod,
                externalIps,
                oomScoreAdj,
                effective);
    }
}
