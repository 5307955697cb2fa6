package io.sluice.nft;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.api.meta.NamespacedName;
import io.sluice.api.net.Cidr;
import io.sluice.api.net.IpAddress;
import io.sluice.api.net.IpFamily;
import io.sluice.api.net.Protocol;
import io.sluice.endpoints.Backend;
import io.sluice.endpoints.EndpointChoice;
import io.sluice.endpoints.NodePortAddresses;
import io.sluice.endpoints.NodeView;
import io.sluice.endpoints.ServicePortImage;
import io.sluice.endpoints.ServicePortName;
import io.sluice.rules.LocalDetector;
import io.sluice.rules.NodeFacts;
import io.sluice.rules.RuleSettings;

import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * A whole table and a change to it, as nft would have them; {@code -Dgolden.update=true} writes the files anew, and the difference is to
 * be read before it is committed.
 */
class NftTextGoldenTest {
    private static final Path ROOT = Path.of("src", "test", "golden", "nft");
    private static final Backend HERE = new Backend(IpAddress.of("10.1.0.1"), 8080, true);
    private static final Backend THERE = new Backend(IpAddress.of("10.2.0.1"), 8080, false);
    private static final NodeFacts FACTS = new NodeFacts(
            new NodeView("node", "", List.of(IpAddress.of("192.0.2.1"))),
            List.of(IpAddress.of("127.0.0.1"), IpAddress.of("192.0.2.1")),
            List.of(Cidr.of("10.96.0.0/16")));
    private static final RuleSettings SETTINGS = new RuleSettings(
            0x4000,
            false,
            new LocalDetector.Source(List.of(Cidr.of("10.1.0.0/16"))),
            NodePortAddresses.parse(List.of("primary")),
            true,
            true);

    private static ServicePortImage port(
            String name, int number, int nodePort, boolean externalLocal, Backend... backends) {
        List<Backend> cluster = List.of(backends);
        boolean balanced = name.equals("balanced");
        return new ServicePortImage(
                new ServicePortName(
                        new NamespacedName("shop", name), "http", Protocol.TCP, IpFamily.IPV4),
                IpAddress.of("10.96.0." + number),
                80,
                nodePort,
                List.of(),
                balanced ? List.of(IpAddress.of("203.0.113.1")) : List.of(),
                balanced ? List.of(Cidr.of("192.0.2.0/24"), Cidr.of("198.51.100.0/25")) : List.of(),
                balanced,
                false,
                externalLocal,
                0,
                name.equals("sticky") ? 300 : 0,
                new EndpointChoice(
                        cluster,
                        cluster.stream().filter(Backend::local).toList(),
                        !cluster.isEmpty(),
                        cluster,
                        List.of(),
                        List.of()));
    }

    private static RandomImages.Image image(ServicePortImage... ports) {
        Map<ServicePortName, ServicePortImage> all = new LinkedHashMap<>();
        for (ServicePortImage port : ports) {
            all.put(port.name(), port);
        }
        return new RandomImages.Image(all);
    }

    private static void matches(String file, String text) throws IOException {
        Path path = ROOT.resolve(file);
        if (Boolean.getBoolean("golden.update")) {
            Files.writeString(path, text);
        }
        assertThat(text).as("golden file %s", path).isEqualTo(Files.readString(path));
    }

    @Test
    void aTableAndAChange() throws IOException {
        RandomImages.Image before = image(
                port("web", 1, 30080, false, HERE, THERE),
                port("balanced", 2, 30081, true, THERE),
                port("sticky", 3, 0, false, HERE, THERE),
                port("empty", 4, 30082, false));
        RandomImages.Image after = image(
                port("web", 1, 30080, false, THERE),
                port("balanced", 2, 30081, true, HERE, THERE),
                port("sticky", 3, 0, false, HERE, THERE));
        NftPlanner planner = new NftPlanner(IpFamily.IPV4, SETTINGS, FACTS, told -> {});
        planner.full(before, FACTS);
        matches("table.nft", NftText.of(planner.table()));
        matches("change.nft", NftText.of(planner.update(RandomImages.delta(before, after))));
    }
}
