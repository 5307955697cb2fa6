package io.sluice.apiserver.openapi;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

import io.sluice.api.object.Json;
import io.sluice.api.object.Yaml;
import io.sluice.apiserver.Golden;
import io.sluice.apiserver.kinds.BuiltinKinds;
import io.sluice.apiserver.kinds.KindRun;

import org.junit.jupiter.api.Test;

import java.util.HashSet;
import java.util.Set;

/** The documents hold what kubectl reads from them. */
final class OpenApiTest {
    private final OpenApi openApi =
            new OpenApi(BuiltinKinds.all(KindRun.allocator("10.96.0.0/16")), "v1.36.2");

    private static ObjectNode tree(OpenApi.Document document) throws Exception {
        return Json.parseObject(document.json());
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
                        "apis/events.k8s.io/v1");
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
}
