package io.sluice.dataplane.config;

import java.util.List;
import java.util.Optional;

/**
 * One of kube-proxy's flags.
 *
 * @param name without dashes
 * @param target path of the configuration field it sets; empty for flags that are no configuration
 * @param use whether it has an effect here
 * @param withFile whether it counts beside {@code --config}
 */
public record ProxyFlag(String name, String target, Use use, boolean withFile, String help) {

    /** What a flag does in this build. */
    public enum Use {
        /** Acted upon. */
        EFFECTIVE,
        /** Of a kernel mode: kept for when that mode runs. */
        KERNEL_MODE,
        /** Taken, so that existing manifests start, and without effect. */
        ACCEPTED
    }

    /** All flags of kube-proxy 1.36 on Linux. */
    public static final List<ProxyFlag> ALL = parse("""
            config|-|E|file|path of a KubeProxyConfiguration file; most other flags are ignored then
            hostname-override|hostnameOverride|E|file|name of this node, as EndpointSlices say it
            kubeconfig|clientConnection.kubeconfig|E||path of a kubeconfig file; in a pod, its service account
            master|-|E||address of the API server; replaces the kubeconfig's
            proxy-mode|mode|E||auto, userspace, nftables, iptables or ipvs
            cluster-cidr|clusterCIDR|E||address blocks of pods, at most one per family
            detect-local-mode|detectLocalMode|E||how local pods are recognised: ClusterCIDR, NodeCIDR, BridgeInterface, InterfaceNamePrefix
            pod-bridge-interface|detectLocal.bridgeInterface|K||bridge of local pods
            pod-interface-name-prefix|detectLocal.interfaceNamePrefix|K||how names of local pods' interfaces begin
            nodeport-addresses|nodePortAddresses|E||address blocks on which node ports answer, or primary
            bind-address|bindAddress|E||selects the family and the node's primary address
            healthz-bind-address|healthzBindAddress|E||where /healthz answers; empty for nowhere
            metrics-bind-address|metricsBindAddress|E||where /metrics answers; empty for nowhere
            bind-address-hard-fail|bindAddressHardFail|E||end when one of these two cannot be bound
            masquerade-all|iptables.masqueradeAll|K||masquerade all traffic to cluster IPs
            iptables-masquerade-bit|iptables.masqueradeBit|K||bit of the packet mark for masquerading
            iptables-localhost-nodeports|iptables.localhostNodePorts|K||node ports on 127.0.0.1
            iptables-sync-period|iptables.syncPeriod|E||longest time between syncs
            iptables-min-sync-period|iptables.minSyncPeriod|E||shortest time between syncs
            ipvs-sync-period|ipvs.syncPeriod|K||longest time between syncs in mode ipvs
            ipvs-min-sync-period|ipvs.minSyncPeriod|K||shortest time between syncs in mode ipvs
            ipvs-scheduler|ipvs.scheduler|K||scheduler in mode ipvs
            ipvs-exclude-cidrs|ipvs.excludeCIDRs|K||blocks mode ipvs leaves alone
            ipvs-strict-arp|ipvs.strictARP|K||arp_ignore 1 and arp_announce 2
            ipvs-tcp-timeout|ipvs.tcpTimeout|K||idle TCP time-out in mode ipvs
            ipvs-tcpfin-timeout|ipvs.tcpFinTimeout|K||FIN time-out in mode ipvs
            ipvs-udp-timeout|ipvs.udpTimeout|K||UDP time-out in mode ipvs
            conntrack-max-per-core|conntrack.maxPerCore|K||conntrack entries per CPU
            conntrack-min|conntrack.min|K||conntrack entries at least
            conntrack-tcp-timeout-established|conntrack.tcpEstablishedTimeout|K||time-out of established TCP
            conntrack-tcp-timeout-close-wait|conntrack.tcpCloseWaitTimeout|K||time-out of half-closed TCP
            conntrack-tcp-be-liberal|conntrack.tcpBeLiberal|K||take packets out of window
            conntrack-udp-timeout|conntrack.udpTimeout|K||time-out of unreplied UDP
            conntrack-udp-timeout-stream|conntrack.udpStreamTimeout|K||time-out of replied UDP
            oom-score-adj|oomScoreAdj|E||written to /proc/self/oom_score_adj
            config-sync-period|configSyncPeriod|A||unused: watches resume by themselves
            kube-api-content-type|clientConnection.contentType|A||unused: JSON is spoken
            kube-api-qps|clientConnection.qps|A||unused: few requests are made
            kube-api-burst|clientConnection.burst|A||unused
            profiling|enableProfiling|A||unused
            show-hidden-metrics-for-version|showHiddenMetricsForVersion|A||unused
            feature-gates|featureGates|E||AllowServiceExternalIPs=false takes externalIPs out; other gates are reported
            init-only|-|E|file|set up what needs privilege, then end
            cleanup|-|E|file|remove what any mode left on this node, then end
            write-config-to|-|E|file|write the effective configuration to this file, then end
            healthz-port|-|E||deprecated; the port where --healthz-bind-address has none; 0: no server
            metrics-port|-|E||deprecated; the port where --metrics-bind-address has none; 0: no server
            v|logging.verbosity|E|file|log level: 0 to 10
            vmodule|-|A|file|unused
            logging-format|logging.format|E|file|text or json
            log-flush-frequency|logging.flushFrequency|A|file|unused
            log-text-split-stream|-|A|file|unused
            log-text-info-buffer-size|-|A|file|unused
            log-json-split-stream|-|A|file|unused
            log-json-info-buffer-size|-|A|file|unused
            boot-id-file|-|A||unused
            machine-id-file|-|A||unused
            """);

    private static List<ProxyFlag> parse(String table) {
        return table.lines().map(line -> line.split("\\|")).map(ProxyFlag::of).toList();
    }

    private static ProxyFlag of(String[] words) {
        Use use = switch (words[2]) {
            case "E" -> Use.EFFECTIVE;
            case "K" -> Use.KERNEL_MODE;
            default -> Use.ACCEPTED;
        };
        return new ProxyFlag(
                words[0],
                words[1].equals("-") ? "" : words[1],
                use,
                words[3].equals("file"),
                words[4]);
    }

    public static Optional<ProxyFlag> find(String name) {
        return ALL.stream().filter(flag -> flag.name().equals(name)).findFirst();
    }

    /** Whether it may stand without a value, for true. */
    public boolean isSwitch() {
        return name.equals("cleanup")
                || name.equals("init-only")
                || name.endsWith("split-stream")
                || ConfigField.find(target)
                        .filter(field -> field.type() == ConfigField.Type.BOOL)
                        .isPresent();
    }

    /** The default, as text; empty for none. */
    public String defaultText() {
        return ConfigField.find(target).map(ConfigField::defaultText).orElse("");
    }
}
