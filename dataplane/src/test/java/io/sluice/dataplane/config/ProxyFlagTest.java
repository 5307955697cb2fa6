package io.sluice.dataplane.config;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

import java.util.List;
import java.util.stream.Stream;

/** The table of flags is that of kube-proxy 1.36 on Linux. */
class ProxyFlagTest {
    /** Written from its documentation, apart from the table; with defaults where there are any. */
    private static final String KUBE_PROXY = """
            bind-address=0.0.0.0
            bind-address-hard-fail=false
            boot-id-file
            cleanup
            cluster-cidr
            config
            config-sync-period=15m
            conntrack-max-per-core=32768
            conntrack-min=131072
            conntrack-tcp-be-liberal=false
            conntrack-tcp-timeout-close-wait=1h
            conntrack-tcp-timeout-established=24h
            conntrack-udp-timeout=0s
            conntrack-udp-timeout-stream=0s
            detect-local-mode
            feature-gates
            healthz-bind-address=0.0.0.0:10256
            healthz-port
            hostname-override
            init-only
            iptables-localhost-nodeports=true
            iptables-masquerade-bit=14
            iptables-min-sync-period=1s
            iptables-sync-period=30s
            ipvs-exclude-cidrs
            ipvs-min-sync-period=0s
            ipvs-scheduler
            ipvs-strict-arp=false
            ipvs-sync-period=30s
            ipvs-tcp-timeout=0s
            ipvs-tcpfin-timeout=0s
            ipvs-udp-timeout=0s
            kube-api-burst=10
            kube-api-content-type=application/vnd.kubernetes.protobuf
            kube-api-qps=5
            kubeconfig
            log-flush-frequency=5s
            log-json-info-buffer-size
            log-json-split-stream
            log-text-info-buffer-size
            log-text-split-stream
            logging-format=text
            machine-id-file
            masquerade-all=false
            master
            metrics-bind-address=127.0.0.1:10249
            metrics-port
            nodeport-addresses
            oom-score-adj=-999
            pod-bridge-interface
            pod-interface-name-prefix
            profiling=false
            proxy-mode
            show-hidden-metrics-for-version
            v=0
            vmodule
            write-config-to
            """;

    @Test
    void shouldHaveEveryFlagOfKubeProxyWithItsDefault() {
        Stream<String> ours = ProxyFlag.ALL.stream()
                .map(flag -> flag.defaultText().isEmpty()
                        ? flag.name()
                        : flag.name() + '=' + flag.defaultText());

        assertThat(ours.sorted().toList()).isEqualTo(KUBE_PROXY.lines().sorted().toList());
    }

    @Test
    void shouldSetFieldsThatExist() {
        assertThat(ProxyFlag.ALL)
                .filteredOn(flag -> !flag.target().isEmpty())
                .allSatisfy(flag -> assertThat(ConfigField.find(flag.target())).isPresent());
    }

    @Test
    void shouldNotCallUnusedWhatHasAnEffect() {
        List<String> mustWork = List.of(
                "config",
                "hostname-override",
                "kubeconfig",
                "master",
                "proxy-mode",
                "cluster-cidr",
                "detect-local-mode",
                "nodeport-addresses",
                "bind-address",
                "healthz-bind-address",
                "metrics-bind-address",
                "feature-gates",
                "cleanup",
                "v");

        assertThat(mustWork)
                .allSatisfy(
                        name -> assertThat(ProxyFlag.find(name).orElseThrow().use())
                                .isEqualTo(ProxyFlag.Use.EFFECTIVE));
    }

    @Test
    void shouldCountBesideAFileOnlyWhatKubeProxyCounts() {
        assertThat(ProxyFlag.ALL)
                .filteredOn(ProxyFlag::withFile)
                .extracting(ProxyFlag::name)
                .allMatch(name -> name.startsWith("log")
                        || List.of(
                                        "config",
                                        "hostname-override",
                                        "v",
                                        "vmodule",
                                        "write-config-to",
                                        "cleanup",
                                        "init-only")
                                .contains(name));
    }

    @Test
    void shouldKnowWhichFlagsMayStandAlone() {
        assertThat(ProxyFlag.ALL)
                .filteredOn(ProxyFlag::isSwitch)
                .extracting(ProxyFlag::name)
                .containsExactlyInAnyOrder(
                        "bind-address-hard-fail",
                        "masquerade-all",
                        "iptables-localhost-nodeports",
                        "ipvs-strict-arp",
                        "conntrack-tcp-be-liberal",
                        "profiling",
                        "init-only",
                        "cleanup",
                        "log-text-split-stream",
                        "log-json-split-stream");
    }
}
