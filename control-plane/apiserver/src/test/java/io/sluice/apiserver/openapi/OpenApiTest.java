package io.sluice.apiserver.openapi;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.google.protobuf.ByteString;
import com.google.protobuf.UnknownFieldSet;

import io.sluice.api.object.Json;
import io.sluice.api.object.Yaml;
import io.sluice.apiserver.Golden;
import io.sluice.apiserver.kinds.BuiltinKinds;
import io.sluice.apiserver.kinds.KindRun;

import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** The documents hold what kubectl reads from them. */
final class OpenApiTest {
    private final OpenApi openApi =
            new OpenApi(BuiltinKinds.all(KindRun.allocator("10.96.0.0/16")), "v1.36.2");

    private static ObjectNode tree(OpenApi.Document document) throws Exception {
        return Json.parseObject(document.bytes());
    }

    private ObjectNode core() throws Exception {
        return tree(openApi.version3Document("api/v1").orElseThrow());
    }

    @Test
    void theIndexNamesEachDocumentWithItsHash() throws Exception {
        JsonNode paths = tree(openApi.index()).path("paths");
        Set<String> names = new HashSet<>();
        paths.fieldNames().forEachRemaining(names::add);
        assertThat(names)
                .containsExactlyInAnyOrder(
                        "api/v1",
                        "apis/coordination.k8s.io/v1",
                        "apis/discovery.k8s.io/v1",
                        "apis/events.k8s.io/v1",
                        "apis/networking.k8s.io/v1");
        for (String name : names) {
            assertThat(paths.path(name).path("serverRelativeURL").asText())
                    .isEqualTo("/openapi/v3/" + name + "?hash="
                            + openApi.version3Document(name).orElseThrow().hash());
        }
        assertThat(openApi.version3Document("apis/apps/v1")).isEmpty();
    }

    @Test
    void patchesDeclareFieldValidationAndTheirTypes() throws Exception {
        JsonNode patch = core().path("paths")
                .path("/api/v1/namespaces/{namespace}/services/{name}")
                .path("patch");
        assertThat(patch.path("parameters").findValuesAsText("name")).contains("fieldValidation");
        assertThat(patch.path("requestBody")
                        .path("content")
                        .has("application/strategic-merge-patch+json"))
                .isTrue();
        assertThat(patch.path("x-kubernetes-group-version-kind").path("kind").asText())
                .isEqualTo("Service");
    }

    @Test
    void referencesLeadSomewhere() throws Exception {
        for (String name : Set.of("api/v1", "apis/events.k8s.io/v1")) {
            ObjectNode document = tree(openApi.version3Document(name).orElseThrow());
            assertReferences(
                    document, document.path("components").path("schemas"), "#/components/schemas/");
        }
        ObjectNode older = tree(openApi.version2Document());
        assertReferences(older, older.path("definitions"), "#/definitions/");
    }

    private static void assertReferences(ObjectNode document, JsonNode definitions, String prefix) {
        assertThat(document.findValuesAsText("$ref"))
                .isNotEmpty()
                .allSatisfy(reference -> assertThat(
                                definitions.has(reference.substring(prefix.length())))
                        .as(reference)
                        .isTrue());
    }

    @Test
    void servicesAsTheyAreDescribed() throws Exception {
        JsonNode schemas = core().path("components").path("schemas");
        ObjectNode excerpt = Json.object();
        for (String type : Set.of("Service", "ServiceList", "ServicePort", "ServiceSpec").stream()
                .sorted()
                .toList()) {
            excerpt.set(type, schemas.path("io.k8s.api.core.v1." + type));
        }
        Golden.check("openapi-services.yaml", Yaml.write(excerpt));
    }

    /** Read back without the message's own classes: field numbers are what matters. */
    @Test
    void theProtobufFormHoldsTheSameDefinitionsAndPaths() throws Exception {
        UnknownFieldSet document =
                UnknownFieldSet.parseFrom(openApi.version2Protobuf().bytes());
        assertThat(texts(document, 1)).containsExactly("2.0");
        ObjectNode json = tree(openApi.version2Document());
        assertThat(names(message(document, 8), 2))
                .containsExactlyElementsOf(keys(json.path("paths")));
        UnknownFieldSet definitions = message(document, 9);
        assertThat(names(definitions, 1)).containsExactlyElementsOf(keys(json.path("definitions")));
        int service = names(definitions, 1).indexOf("io.k8s.api.core.v1.ServiceSpec");
        UnknownFieldSet schema = message(
                UnknownFieldSet.parseFrom(
                        definitions.getField(1).getLengthDelimitedList().get(service)),
                2);
        assertThat(texts(message(schema, 22), 1)).containsExactly("object");
        assertThat(names(message(schema, 25), 1)).contains("clusterIP", "ports", "selector");
    }

    private static UnknownFieldSet message(UnknownFieldSet parent, int field) throws Exception {
        return UnknownFieldSet.parseFrom(
                parent.getField(field).getLengthDelimitedList().getFirst());
    }

    private static List<String> texts(UnknownFieldSet message, int field) {
        return message.getField(field).getLengthDelimitedList().stream()
                .map(ByteString::toStringUtf8)
                .toList();
    }

    private static List<String> names(UnknownFieldSet map, int field) throws Exception {
        List<String> out = new ArrayList<>();
        for (ByteString entry : map.getField(field).getLengthDelimitedList()) {
            out.addAll(texts(UnknownFieldSet.parseFrom(entry), 1));
        }
        return out;
    }

    private static List<String> keys(JsonNode object) {
        List<String> out = new ArrayList<>();
        object.fieldNames().forEachRemaining(out::add);
        return out;
    }
}
