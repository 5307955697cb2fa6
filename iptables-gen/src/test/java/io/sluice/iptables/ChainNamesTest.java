package io.sluice.iptables;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.api.meta.NamespacedName;
import io.sluice.api.net.IpAddress;
import io.sluice.api.net.IpFamily;
import io.sluice.api.net.Protocol;
import io.sluice.endpoints.Backend;
import io.sluice.endpoints.ServicePortName;

import org.junit.jupiter.api.Test;

/** Other software looks for these names; the vectors are kube-proxy's. */
class ChainNamesTest {
    private static ServicePortName port(String namespace, String name, String port) {
        return new ServicePortName(
                new NamespacedName(namespace, name), port, Protocol.TCP, IpFamily.IPV4);
    }

    @Test
    void chainsAreNamedAsKubeProxyNamesThem() {
        assertThat(ChainNames.cluster(port("ns1", "svc1", "p80")))
                .isEqualTo("KUBE-SVC-XPGD46QRK7WJZT7O");
        assertThat(ChainNames.local(port("ns1", "svc1", "")))
                .isEqualTo("KUBE-SVL-AQI2S6QIMU7PVVRP");
        assertThat(ChainNames.external(port("default", "kubernetes", "https")))
                .isEqualTo("KUBE-EXT-NPX46M4PTMTKRN6Y");
        assertThat(ChainNames.endpoint(
                        port("ns1", "svc1", "p80"),
                        new Backend(IpAddress.of("10.180.0.1"), 80, true)))
                .isEqualTo("KUBE-SEP-SXIVWICOYRO3J4NJ");
        assertThat(ChainNames.endpoint(
                        port("ns1", "svc1", "p80"),
                        new Backend(IpAddress.of("fd00:10:180::1"), 80, true)))
                .isEqualTo("KUBE-SEP-OGYCNMB4EMRUSJ6N");
    }
}
