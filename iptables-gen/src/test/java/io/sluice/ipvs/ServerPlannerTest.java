package io.sluice.ipvs;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.api.meta.NamespacedName;
import io.sluice.api.net.IpAddress;
import io.sluice.api.net.IpFamily;
import io.sluice.api.net.Protocol;
import io.sluice.endpoints.Backend;
import io.sluice.endpoints.EndpointChoice;
import io.sluice.endpoints.NodePortAddresses;
import io.sluice.endpoints.NodeView;
import io.sluice.endpoints.ServicePortImage;
import io.sluice.endpoints.ServicePortName;
import io.sluice.rules.NodeFacts;

import org.junit.jupiter.api.Test;

import java.util.List;

class ServerPlannerTest {
    private static final Backend HERE = new Backend(IpAddress.of("10.1.0.1"), 8080, true);
    private static final Backend THERE = new Backend(IpAddress.of("10.2.0.1"), 8080, false);
    private static final NodeFacts FACTS = new NodeFacts(
            new NodeView("node", "", List.of(IpAddress.of("192.0.2.1"))),
            List.of(
                    IpAddress.of("127.0.0.1"),
                    IpAddress.of("192.0.2.1"),
                    IpAddress.of("198.51.100.1"),
                    IpAddress.of("2001:db8::1")),
            List.of());

    private static ServicePortImage port(List<Backend> local) {
        return new ServicePortImage(
                new ServicePortName(
                        new NamespacedName("shop", "web"), "", Protocol.TCP, IpFamily.IPV4),
                IpAddress.of("10.96.0.1"),
                80,
                30080,
                List.of(),
                List.of(IpAddress.of("203.0.113.1")),
                List.of(),
                false,
                false,
                true,
                0,
                60,
                new EndpointChoice(
                        List.of(HERE, THERE), local, true, List.of(), List.of(), List.of()));
    }

    private static String text(NodePortAddresses nodePorts, ServicePortImage port) {
        return IpvsText.of(new ServerPlanner(IpFamily.IPV4, Scheduler.RR, nodePorts)
                .plan(List.of(port), FACTS)
                .values());
    }

    @Test
    void listensOnEveryAddressButLoopbackAndKeepsToTheExternalPolicy() {
        assertThat(text(NodePortAddresses.ALL, port(List.of(HERE)))).isEqualTo("""
                -A -t 10.96.0.1:80 -s rr -p 60
                -a -t 10.96.0.1:80 -r 10.1.0.1:8080 -m -w 1
                -a -t 10.96.0.1:80 -r 10.2.0.1:8080 -m -w 1
                -A -t 192.0.2.1:30080 -s rr -p 60
                -a -t 192.0.2.1:30080 -r 10.1.0.1:8080 -m -w 1
                -A -t 198.51.100.1:30080 -s rr -p 60
                -a -t 198.51.100.1:30080 -r 10.1.0.1:8080 -m -w 1
                -A -t 203.0.113.1:80 -s rr -p 60
                -a -t 203.0.113.1:80 -r 10.1.0.1:8080 -m -w 1
                """);
    }

    @Test
    void usesAllEndpointsWhereNoneIsLocal() {
        assertThat(text(NodePortAddresses.parse(List.of("primary")), port(List.of())))
                .contains("-a -t 192.0.2.1:30080 -r 10.2.0.1:8080")
                .contains("-a -t 203.0.113.1:80 -r 10.1.0.1:8080")
                .doesNotContain("198.51.100.1");
    }
}
