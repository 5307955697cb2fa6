package io.sluice.endpoints;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.databind.node.ObjectNode;

import io.sluice.api.model.EndpointSlice;
import io.sluice.api.model.EndpointSliceDecoder;
import io.sluice.api.model.ObjectDecoder;
import io.sluice.api.model.Service;
import io.sluice.api.model.ServiceDecoder;
import io.sluice.api.net.IpAddress;
import io.sluice.api.net.Protocol;
import io.sluice.api.object.Json;
import io.sluice.api.object.Yaml;
import io.sluice.api.object.YamlException;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import java.io.IOException;
import java.util.List;
import java.util.Locale;

/**
 * Explanations of real manifests, {@code explain/*.yaml}. In the {@code .txt} beside each, a line {@code ? ADDRESS:PORT/PROTOCOL} asks,
 * and what follows is the answer; {@code #} starts a comment.
 */
class ExplainerGoldenTest {
    private static final List<IpAddress> INTERFACES =
            AService.addresses("127.0.0.1", "192.0.2.1", "198.51.100.99", "::1", "2001:db8:1::1");

    static List<String> scripts() {
        return Golden.names("explain", ".yaml");
    }

    @ParameterizedTest
    @MethodSource("scripts")
    void answers(String name) throws IOException, YamlException {
        Explainer explainer = explainer(
                Golden.read("explain/" + name + ".yaml"),
                NodePortAddresses.parse(List.of("192.0.2.0/24", "2001:db8:1::/64")));
        String file = "explain/" + name + ".txt";
        String script = Golden.read(file);

        StringBuilder out = new StringBuilder();
        for (String line : script.lines().toList()) {
            if (line.startsWith("#")) {
                out.append('\n').append(line).append('\n');
            } else if (line.startsWith("? ")) {
                out.append(line)
                        .append('\n')
                        .append(explain(explainer, line.substring(2)).toText());
            }
        }
        String found = out.toString().strip() + '\n';
        if (Golden.UPDATE) {
            Golden.write(file, found);
        }
        assertThat(found).isEqualTo(Golden.read(file));
    }

    @Test
    void jsonHasTheSameFacts() throws IOException, YamlException {
        Explainer explainer =
                explainer(Golden.read("explain/policies.yaml"), NodePortAddresses.ALL);

        String found = Json.pretty(explain(explainer, "192.0.2.1:30080/tcp").toJson()) + '\n';

        if (Golden.UPDATE) {
            Golden.write("explain/policies.json", found);
        }
        assertThat(found).isEqualTo(Golden.read("explain/policies.json"));
    }

    @Test
    void anAddressNobodyOwnsHasNoOwnerInJson() throws IOException, YamlException {
        Explainer explainer = explainer(Golden.read("explain/nobody.yaml"), NodePortAddresses.ALL);

        ObjectNode json = explain(explainer, "10.96.0.10:81/tcp").toJson();

        assertThat(json.has("owner")).isFalse();
        assertThat(json.at("/notes/0").asText())
                .startsWith("Service shop/web:http has this address");
    }

    private static Explanation explain(Explainer explainer, String question) {
        int slash = question.lastIndexOf('/');
        int colon = question.lastIndexOf(':');
        String address = question.substring(0, colon).replace("[", "").replace("]", "");
        return explainer.explain(
                IpAddress.of(address),
                Integer.parseInt(question.substring(colon + 1, slash)),
                Protocol.valueOf(question.substring(slash + 1).toUpperCase(Locale.ROOT)));
    }

    private static Explainer explainer(String manifests, NodePortAddresses nodePorts)
            throws IOException, YamlException {
        ServiceTracker tracker = new ServiceTracker(Views.NODE);
        ObjectDecoder<Service> services = new ServiceDecoder();
        ObjectDecoder<EndpointSlice> slices = new EndpointSliceDecoder();
        for (String manifest : manifests.split("\n---\n")) {
            ObjectNode object = Yaml.parseObject(manifest);
            if (object.path("kind").asText().equals("Service")) {
                tracker.onService(decode(services, object));
            } else {
                tracker.onSlice(decode(slices, object));
            }
        }
        return new Explainer(tracker.checkOut().image(), Views.NODE, nodePorts, INTERFACES);
    }

    private static <T> T decode(ObjectDecoder<T> decoder, ObjectNode object) throws IOException {
        try (JsonParser parser = Json.parser(Json.bytes(object))) {
            parser.nextToken();
            return decoder.decode(parser, problem -> {
                        throw new AssertionError(problem);
                    })
                    .orElseThrow()
                    .value();
        }
    }
}
