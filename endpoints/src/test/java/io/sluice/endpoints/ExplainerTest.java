package io.sluice.endpoints;

import static io.sluice.endpoints.Fixtures.endpoint;
import static io.sluice.endpoints.Fixtures.ready;
import static io.sluice.endpoints.Fixtures.service;
import static io.sluice.endpoints.Fixtures.slice;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.api.model.ServiceType;
import io.sluice.api.net.IpAddress;
import io.sluice.api.net.Protocol;

import org.junit.jupiter.api.Test;

import java.util.List;

class ExplainerTest {

    private static Explanation explain(String address, int port, Protocol protocol) {
        ServiceTracker tracker = new ServiceTracker(Fixtures.NODE);
        tracker.onService(service("web", "10.96.0.1")
                .type(ServiceType.NODE_PORT)
                .nodePort(30080)
                .build());
        tracker.onService(service("old", "10.96.0.2")
                .type(ServiceType.NODE_PORT)
                .nodePort(30080)
                .build());
        tracker.onSlice(slice(
                "web-1",
                "web",
                ready("10.244.1.1", "node-1"),
                endpoint("10.244.2.2", "node-2", false, true, false)));
        List<IpAddress> addresses = List.of(IpAddress.of("10.0.0.1"), IpAddress.of("127.0.0.1"));
        return new Explainer(
                        tracker.checkOut().image(), Fixtures.NODE, NodePortAddresses.ALL, addresses)
                .explain(IpAddress.of(address), port, protocol);
    }

    @Test
    void saysWhoAnswersAndWhoIsLeftOutAndWhy() {
        assertThat(explain("10.96.0.1", 80, Protocol.TCP).toText()).isEqualTo("""
                10.96.0.1:80/tcp on node node-1
                  Service default/web:http, cluster IP; policy internal Cluster, external Cluster
                  from outside: forward to 10.244.1.1:8080 (sees the node's address)
                  from pod: forward to 10.244.1.1:8080
                  from node: forward to 10.244.1.1:8080 (sees the node's address)
                  left out: 10.244.2.2:8080 (pod-10.244.2.2): not ready, condition ready is false, serving is true
                """);
    }

    @Test
    void saysThatTwoServicesWantOneNodePort() {
        String text = explain("10.0.0.1", 30080, Protocol.TCP).toText();
        assertThat(text)
                .contains("Service default/old:http, node port")
                .contains("refuse: Service default/old:http has no usable endpoint on any node")
                .contains("note: Service default/web:http claims it too, and gets nothing here");
    }

    @Test
    void guessesWhatWasMeantWhereNobodyOwnsTheAddress() {
        assertThat(explain("10.96.0.1", 81, Protocol.TCP).hints())
                .containsExactly(
                        "Service default/web:http has this address as its cluster IP, with port 80/tcp");
        assertThat(explain("10.0.0.1", 30080, Protocol.UDP).hints())
                .contains("Service default/web:http has node port 30080/tcp: another protocol");
        assertThat(explain("10.9.9.9", 30080, Protocol.TCP).hints())
                .contains(
                        "Service default/web:http has node port 30080/tcp, but 10.9.9.9 is no address of node node-1");
        assertThat(explain("192.0.2.1", 1, Protocol.TCP).hints().getFirst())
                .startsWith("no Service this proxy sees has this address or node port");
    }

    @Test
    void jsonHasTheSameFacts() {
        var json = explain("10.96.0.1", 80, Protocol.TCP).toJson();
        assertThat(json.at("/owner/service").asText()).isEqualTo("web");
        assertThat(json.at("/owner/outcomes/0/endpoints/0").asText()).isEqualTo("10.244.1.1:8080");
        assertThat(json.at("/owner/leftOut/0/reason").asText()).isEqualTo("NOT_READY");
    }
}
