package io.sluice.dataplane.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.api.net.Cidr;
import io.sluice.api.object.Yaml;
import io.sluice.endpoints.NodePortAddresses;
import io.sluice.rules.LocalDetector;
import io.sluice.rules.RuleSettings;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Who wins among flags, file and defaults, and what is refused with which words. */
class ProxyOptionsTest {
    private static final String HEAD = """
            apiVersion: kubeproxy.config.k8s.io/v1alpha1
            kind: KubeProxyConfiguration
            """;

    private static ProxyConfig flags(String... words) throws ConfigException {
        return ProxyOptions.resolve(parse(words), "", "Machine", Features::none).config();
    }

    private static ProxyOptions.Resolved file(String text, String... words) throws ConfigException {
        Map<String, String> flags = parse(words);
        flags.put("config", "proxy.yaml");
        return ProxyOptions.resolve(flags, HEAD + text, "machine", Features::none);
    }

    private static Map<String, String> parse(String... words) {
        Map<String, String> flags = new LinkedHashMap<>();
        for (String word : words) {
            int equals = word.indexOf('=');
            flags.put(word.substring(2, equals), word.substring(equals + 1));
        }
        return flags;
    }

    @Test
    void shouldHaveKubeProxysDefaults() throws ConfigException {
        ProxyConfig config = flags();

        assertThat(config.mode()).isEqualTo(ProxyMode.USERSPACE);
        assertThat(config.modeReason())
                .isEqualTo("chosen because nftables: none here; iptables: none there");
        assertThat(config.nodeName()).isEqualTo("machine");
        assertThat(config.rules())
                .isEqualTo(new RuleSettings(
                        0x4000,
                        false,
                        new LocalDetector.None(),
                        NodePortAddresses.ALL,
                        true,
                        true));
        assertThat(config.healthzBindAddress()).isEqualTo("0.0.0.0:10256");
        assertThat(config.metricsBindAddress()).isEqualTo("127.0.0.1:10249");
        assertThat(config.bindAddressHardFail()).isFalse();
        assertThat(config.minSyncPeriod()).isZero();
        assertThat(config.syncPeriod()).isEqualTo(Duration.ofSeconds(30));
        assertThat(config.oomScoreAdj()).isEqualTo(-999);
        assertThat(config.externalIps()).isTrue();
    }

    @Test
    void shouldStartWithTheFlagsOfK3s() throws ConfigException {
        ProxyOptions.Resolved resolved = ProxyOptions.resolve(
                parse(
                        "--cluster-cidr=10.42.0.0/16",
                        "--conntrack-max-per-core=0",
                        "--conntrack-tcp-timeout-close-wait=0s",
                        "--conntrack-tcp-timeout-established=0s",
                        "--healthz-bind-address=127.0.0.1",
                        "--hostname-override=k3s-server-0",
                        "--kubeconfig=/var/lib/rancher/k3s/agent/kubeproxy.kubeconfig",
                        "--proxy-mode=userspace"),
                "",
                "machine",
                Features::none);

        assertThat(resolved.warnings()).isEmpty();
        assertThat(resolved.config().healthzBindAddress()).isEqualTo("127.0.0.1:10256");
        assertThat(resolved.config().rules().detector())
                .isEqualTo(new LocalDetector.Source(
                        List.of(Cidr.parse("10.42.0.0/16").orElseThrow())));
        assertThat(resolved.config().kubeconfig()).endsWith("kubeproxy.kubeconfig");
        assertThat(resolved.config().nodeName()).isEqualTo("k3s-server-0");
    }

    @ParameterizedTest
    @CsvSource({
        "YES, YES, NFTABLES",
        "YES, NO, NFTABLES",
        "NO, YES, IPTABLES",
        "UNKNOWN, YES, IPTABLES",
        "NO, NO, USERSPACE",
        "UNKNOWN, UNKNOWN, USERSPACE"
    })
    void shouldChooseTheFastestModeThatWorks(
            NodeFeatures.Answer nftables, NodeFeatures.Answer iptables, ProxyMode expected)
            throws ConfigException {
        ProxyConfig config = ProxyOptions.resolve(
                        parse("--proxy-mode=auto"),
                        "",
                        "machine",
                        () -> Features.of(nftables, iptables))
                .config();

        assertThat(config.mode()).isEqualTo(expected);
        assertThat(config.modeReason()).startsWith("chosen because nftables: none here");
    }

    @Test
    void shouldTakeRulesFromTheSectionOfTheMode() throws ConfigException {
        ProxyConfig nft =
                file("mode: nftables\nnftables: {masqueradeBit: 3, masqueradeAll: true}\nconntrack: {tcpBeLiberal: true}\n"
                                + "detectLocalMode: BridgeInterface\ndetectLocal: {bridgeInterface: cni0}")
                        .config();
        ProxyConfig ipvs =
                file("mode: ipvs\niptables: {masqueradeBit: 31}\ndetectLocalMode: InterfaceNamePrefix\n"
                                + "detectLocal: {interfaceNamePrefix: veth}")
                        .config();

        assertThat(nft.rules())
                .isEqualTo(new RuleSettings(
                        8,
                        true,
                        new LocalDetector.Bridge("cni0"),
                        new NodePortAddresses(true, List.of()),
                        true,
                        false));
        assertThat(ipvs.rules().mark()).isEqualTo(1 << 31);
        assertThat(ipvs.rules().detector()).isEqualTo(new LocalDetector.Prefix("veth"));
        assertThat(ipvs.rules().nodePortAddresses()).isEqualTo(NodePortAddresses.ALL);
    }

    @Test
    void shouldTakeOnlySomeFlagsBesideAFile() throws ConfigException {
        ProxyOptions.Resolved resolved = file(
                "hostnameOverride: from-file\nclusterCIDR: 10.1.0.0/16",
                "--hostname-override=From-Flag",
                "--cluster-cidr=10.2.0.0/16",
                "--v=2");

        assertThat(resolved.config().nodeName()).isEqualTo("from-flag");
        assertThat(resolved.config().rules().detector().toString()).contains("10.1.0.0/16");
        assertThat(resolved.config()
                        .effective()
                        .path("logging")
                        .path("verbosity")
                        .intValue())
                .isEqualTo(2);
        assertThat(resolved.warnings())
                .containsExactly("--cluster-cidr is ignored, because --config is given");
    }

    @Test
    void shouldKeepTheFilesNodeNameWhereTheFlagIsEmpty() throws ConfigException {
        assertThat(file("hostnameOverride: from-file", "--hostname-override=")
                        .config()
                        .nodeName())
                .isEqualTo("from-file");
    }

    @Test
    void shouldLetADeprecatedPortFlagDecideInAnyOrder() throws ConfigException {
        assertThat(flags("--healthz-port=0", "--healthz-bind-address=0.0.0.0:1")
                        .healthzBindAddress())
                .isEmpty();
        assertThat(flags("--metrics-port=99", "--metrics-bind-address=127.0.0.2")
                        .metricsBindAddress())
                .isEqualTo("127.0.0.2:99");
        assertThat(flags("--metrics-port=99").metricsBindAddress()).isEqualTo("127.0.0.1:10249");
    }

    @Test
    void shouldFollowAnIpv6BindAddress() throws ConfigException {
        ProxyConfig config = flags("--bind-address=::");

        assertThat(config.healthzBindAddress()).isEqualTo("[::]:10256");
        assertThat(config.metricsBindAddress()).isEqualTo("[::1]:10249");
    }

    @ParameterizedTest
    @CsvSource({
        "'', ''",
        "0.0.0.0:0, ''",
        "127.0.0.1:9, 127.0.0.1:9",
        "10.0.0.1, 10.0.0.1:10249",
        "::1, [::1]:10249",
        "[::1]:9, [::1]:9"
    })
    void shouldReadBindAddresses(String text, String expected) throws ConfigException {
        assertThat(flags("--metrics-bind-address=" + text).metricsBindAddress())
                .isEqualTo(expected);
    }

    @Test
    void shouldTakeSyncPeriodsOnlyWhereAsked() throws ConfigException {
        assertThat(flags("--iptables-min-sync-period=2s").minSyncPeriod())
                .isEqualTo(Duration.ofSeconds(2));
        assertThat(flags("--iptables-sync-period=1m").syncPeriod())
                .isEqualTo(Duration.ofMinutes(1));
        // In a file the number is there for the kernel modes.
        assertThat(file("nftables: {minSyncPeriod: 2s}").config().minSyncPeriod())
                .isZero();
    }

    @Test
    void shouldTakeExternalIpsOutByFeatureGate() throws ConfigException {
        ProxyOptions.Resolved resolved = ProxyOptions.resolve(
                parse("--feature-gates=AllowServiceExternalIPs=false,Other=true"),
                "",
                "machine",
                Features::none);

        assertThat(resolved.config().externalIps()).isFalse();
        assertThat(resolved.warnings()).containsExactly("feature gate Other has no effect here");
    }

    @Test
    void shouldReportUnknownAndDuplicateFieldsAndGoOn() throws ConfigException {
        List<String> warnings = file("mode: auto\nmode: userspace\nnew: {a: 1}\niptables: {odd: 2}")
                .warnings();

        assertThat(warnings)
                .containsExactly(
                        "proxy.yaml: field \"mode\" is given twice; the last counts",
                        "proxy.yaml: unknown field \"new\" is ignored",
                        "proxy.yaml: unknown field \"iptables.odd\" is ignored");
    }

    @Test
    void shouldReadBackWhatItWrote() throws ConfigException {
        var first = flags("--cluster-cidr=10.1.0.0/16", "--oom-score-adj=5", "--kube-api-qps=2.5")
                .effective();
        String written = Yaml.write(first);

        ProxyOptions.Resolved again = ProxyOptions.resolve(
                parse("--config=written.yaml"), written, "machine", Features::none);

        assertThat(again.warnings()).isEmpty();
        assertThat(Yaml.write(again.config().effective())).isEqualTo(written);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "--proxy-mode=ebpf | mode: \"ebpf\" is unknown; expected auto, userspace, nftables, iptables or ipvs",
                "'--hostname-override=  ' | hostnameOverride: \"  \" is invalid",
                "--cluster-cidr=10.0.0.0/33 | clusterCIDR: \"10.0.0.0/33\" is no CIDR",
                "--cluster-cidr=10.0.0.0/8,11.0.0.0/8 | at most one block per family",
                "--detect-local-mode=Guess | detectLocalMode: \"Guess\" is unknown; expected ClusterCIDR",
                "--nodeport-addresses=primary,10.0.0.0/8 | \"primary\" is neither a CIDR",
                "--bind-address=localhost | bindAddress: localhost is invalid; expected an IP address",
                "--healthz-bind-address=localhost:1 | healthzBindAddress: localhost:1 is invalid; expected IP:PORT",
                "--healthz-bind-address=1.2.3.4:70000 | expected IP:PORT, IPv6 in brackets",
                "--healthz-bind-address=::1]:1 | expected IP:PORT, IPv6 in brackets",
                "--metrics-port=x | --metrics-port: x is invalid; expected a port",
                "--bind-address-hard-fail=maybe | --bind-address-hard-fail: \"maybe\" is not true or false",
                "--iptables-sync-period=0s | iptables.syncPeriod: PT0S is invalid; expected more than 0",
                "--iptables-min-sync-period=31s | iptables.minSyncPeriod: PT31S is invalid; expected 0 to syncPeriod",
                "--iptables-sync-period=soon | \"soon\" is not a duration like 30s",
                "--iptables-masquerade-bit=32 | iptables.masqueradeBit: 32 is invalid; expected 0 to 31",
                "--iptables-masquerade-bit=4294967296 | is not a whole number of 32 bits",
                "--oom-score-adj=-1001 | oomScoreAdj: -1001 is invalid; expected -1000 to 1000",
                "--ipvs-udp-timeout=-1s | ipvs.udpTimeout: PT-1S is invalid; expected 0 or more",
                "--ipvs-exclude-cidrs=10.0.0.1 | ipvs.excludeCIDRs: 10.0.0.1 is invalid; expected CIDRs",
                "--conntrack-udp-timeout=-1s | conntrack.udpTimeout: PT-1S is invalid",
                "--feature-gates=Gate=perhaps | \"Gate=perhaps\" is not true or false",
                "--no-such-flag=1 | unknown flag --no-such-flag; see proxy --help"
            })
    void shouldRefuseWrongFlags(String flag, String message) {
        assertThatThrownBy(() -> flags(flag))
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining(message);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "iptables: {syncPeriod: 30} | proxy.yaml: iptables.syncPeriod: 30 is not a duration in text",
                "oomScoreAdj: 1.5 | oomScoreAdj: 1.5 is not a whole number of 32 bits",
                "oomScoreAdj: 4294967296 | is not a whole number of 32 bits",
                "mode: 5 | mode: 5 is not a text",
                "nodePortAddresses: primary | is not a list of texts",
                "nodePortAddresses: [1] | nodePortAddresses: [1] is not a list of texts",
                "bindAddressHardFail: \"yes\" | is not true or false",
                "featureGates: {A: 1} | featureGates.A: 1 is invalid; expected true or false",
                "'{' | proxy.yaml: not YAML",
                "mode: kernelspace | mode: \"kernelspace\" is unknown"
            })
    void shouldRefuseWrongFiles(String text, String message) {
        assertThatThrownBy(() -> file(text))
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining(message);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "'' | expected a YAML mapping, found nothing",
                "kind: KubeProxyConfiguration | expected apiVersion kubeproxy.config.k8s.io/v1alpha1",
                "'[1, 2]' | expected a YAML mapping"
            })
    void shouldRefuseFilesOfAnotherKind(String text, String message) {
        assertThatThrownBy(() ->
                        ProxyOptions.resolve(parse("--config=x"), text, "machine", Features::none))
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining(message);
    }
}
