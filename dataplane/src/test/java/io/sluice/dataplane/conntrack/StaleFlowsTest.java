package io.sluice.dataplane.conntrack;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.api.meta.NamespacedName;
import io.sluice.api.net.IpAddress;
import io.sluice.api.net.IpFamily;
import io.sluice.api.net.Protocol;
import io.sluice.endpoints.Backend;
import io.sluice.endpoints.EndpointChoice;
import io.sluice.endpoints.ProxyDelta;
import io.sluice.endpoints.ServicePortImage;
import io.sluice.endpoints.ServicePortName;
import io.sluice.kernel.conntrack.UdpFlow;

import org.junit.jupiter.api.Test;

import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

class StaleFlowsTest {
    private static final ServicePortName NAME = new ServicePortName(
            new NamespacedName("default", "dns"), "dns", Protocol.UDP, IpFamily.IPV4);
    private static final String CLUSTER_IP = "10.96.0.10";
    private static final String VIP = "198.18.0.1";
    private static final String NODE = "192.0.2.1";
    private static final int NODE_PORT = 30_053;

    private static ServicePortImage serving(String... endpoints) {
        List<Backend> backends = Stream.of(endpoints)
                .map(address -> new Backend(IpAddress.of(address), 5353, true))
                .toList();
        return new ServicePortImage(
                NAME,
                IpAddress.of(CLUSTER_IP),
                53,
                NODE_PORT,
                List.of(),
                List.of(IpAddress.of(VIP)),
                List.of(),
                false,
                false,
                false,
                0,
                0,
                new EndpointChoice(
                        backends, backends, !backends.isEmpty(), backends, List.of(), List.of()));
    }

    private static UdpFlow flow(String to, int port, String answersFrom, int answersFromPort) {
        return new UdpFlow(
                1,
                0,
                IpAddress.of("10.244.1.9"),
                40_000,
                IpAddress.of(to),
                port,
                IpAddress.of(answersFrom),
                answersFromPort);
    }

    private static StaleFlows after(ServicePortImage before, ServicePortImage after) {
        StaleFlows out = new StaleFlows(List.of(IpAddress.of(NODE)));
        out.add(new ProxyDelta.Change(
                NAME, Optional.ofNullable(before), Optional.ofNullable(after)));
        return out;
    }

    @Test
    void flowsToEndpointsThatServeStayAndOthersEnd() {
        StaleFlows stale =
                after(serving("10.244.1.1", "10.244.1.2"), serving("10.244.1.2", "10.244.1.3"));

        for (String to : List.of(CLUSTER_IP, VIP)) {
            assertThat(stale.test(flow(to, 53, "10.244.1.1", 5353))).isTrue();
            assertThat(stale.test(flow(to, 53, "10.244.1.2", 5353))).isFalse();
            assertThat(stale.test(flow(to, 53, "10.244.1.2", 53))).isTrue();
            // One that came before there was an endpoint.
            assertThat(stale.test(flow(to, 53, to, 53))).isTrue();
            assertThat(stale.test(flow(to, 54, "10.244.1.1", 5353))).isFalse();
        }
    }

    /** kubernetes/kubernetes 139628. */
    @Test
    void withoutEndpointsTheFormerOnesFlowsEnd() {
        StaleFlows stale = after(serving("10.244.1.1"), serving());

        assertThat(stale.test(flow(CLUSTER_IP, 53, "10.244.1.1", 5353))).isTrue();
        assertThat(stale.test(flow(CLUSTER_IP, 53, CLUSTER_IP, 53))).isFalse();
    }

    /** kubernetes/kubernetes 141371. */
    @Test
    void flowsEndWithTheirService() {
        StaleFlows stale = after(serving("10.244.1.1"), null);

        assertThat(stale.test(flow(CLUSTER_IP, 53, "10.244.1.1", 5353))).isTrue();
        assertThat(stale.test(flow(NODE, NODE_PORT, "10.244.1.1", 5353))).isTrue();
    }

    /** kubernetes/kubernetes 49881: not every flow to this port number is a node port's. */
    @Test
    void nodePortsAreOnTheNodeAlone() {
        StaleFlows stale = after(serving("10.244.1.1"), serving("10.244.1.2"));

        assertThat(stale.test(flow(NODE, NODE_PORT, "10.244.1.1", 5353))).isTrue();
        assertThat(stale.test(flow(NODE, NODE_PORT, "10.244.1.2", 5353))).isFalse();
        assertThat(stale.test(flow("203.0.113.9", NODE_PORT, "203.0.113.9", NODE_PORT)))
                .isFalse();
    }

    @Test
    void anAddressThatTwoServicesHadIsJudgedByTheOneThatHasItNow() {
        StaleFlows out = new StaleFlows(List.of());
        ServicePortName other = new ServicePortName(
                new NamespacedName("default", "new"), "dns", Protocol.UDP, IpFamily.IPV4);
        ServicePortImage image = serving("10.244.1.2");
        out.add(new ProxyDelta.Change(other, Optional.empty(), Optional.of(image)));
        out.add(new ProxyDelta.Change(NAME, Optional.of(serving("10.244.1.1")), Optional.empty()));

        assertThat(out.test(flow(CLUSTER_IP, 53, "10.244.1.2", 5353))).isFalse();
        assertThat(out.test(flow(CLUSTER_IP, 53, "10.244.1.1", 5353))).isTrue();
    }
}
