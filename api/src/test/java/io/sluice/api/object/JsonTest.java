package io.sluice.api.object;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import com.fasterxml.jackson.databind.node.ObjectNode;

import io.sluice.api.meta.GroupVersionKind;
import io.sluice.api.meta.NamespacedName;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;

class JsonTest {

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                " ",
                "1",
                "[]",
                "null",
                "\"a\"",
                "{",
                "{}x",
                "{} {}",
                "{'a':1}",
                "{a:1}",
                "{\"a\":}",
                "{\"a\":1,}",
                "{\"a\":NaN}",
                "{\"a\":01}",
                "{\"a\":\"\t\"}",
                "// c\n{}"
            })
    void refusesWhatIsNoObject(String text) {
        assertThatThrownBy(() -> Json.parseObject(text)).isInstanceOf(IOException.class);
        assertThatThrownBy(() -> Json.parseObject(text.getBytes(StandardCharsets.UTF_8)))
                .isInstanceOf(IOException.class);
    }

    @Test
    void refusesWhatWouldExhaust() {
        assertThatThrownBy(() -> Json.parseObject("{\"a\":" + "[".repeat(100_000)))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("200");
        assertThatThrownBy(() -> Json.parseObject("{\"a\":1" + "0".repeat(1_000) + "}"))
                .isInstanceOf(IOException.class);
        assertThatThrownBy(() -> Json.parseObject("{\"" + "a".repeat(100_000) + "\":1}"))
                .isInstanceOf(IOException.class);
        assertThatThrownBy(() ->
                        Json.parseObject(new byte[] {'{', '"', (byte) 0xff, '"', ':', '1', '}'}))
                .isInstanceOf(IOException.class);
    }

    @Test
    void hugeExponentsCostNothing() {
        assertTimeoutPreemptively(Duration.ofSeconds(30), () -> {
            ObjectNode tree = Json.parseObject("{\"a\":1e999999999,\"b\":1e-999999999}");
            assertThat(tree.get("a").asInt()).isZero();
            assertThat(tree.get("a").asLong()).isZero();
            assertThat(tree.get("a").canConvertToInt()).isFalse();
            assertThat(tree.get("b").asLong()).isZero();
            assertThat(new String(Json.bytes(tree), StandardCharsets.UTF_8)).hasSizeLessThan(100);
        });
    }

    @Test
    void keepsNumbersAsTheyAre() throws IOException {
        String text =
                "{\"a\":18446744073709551615,\"b\":0.10,\"c\":-0,\"d\":12345678901234567890.5}";
        assertThat(new String(Json.bytes(Json.parseObject(text)), StandardCharsets.UTF_8))
                .isEqualTo(text.replace("-0,", "0,")
                        .replace("0.10", Json.parseObject(text).get("b").toString()));
    }

    @Test
    void readsMetadata() throws IOException {
        KubeObject object = KubeObject.of(Json.parseObject("""
                {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {
                  "name": "web", "namespace": "shop", "generateName": "w-", "uid": "u1", "resourceVersion": "7",
                  "generation": 3, "creationTimestamp": "2026-12-01T10:00:00Z", "deletionTimestamp": "2026-12-01T11:00:00Z",
                  "labels": {"a": "b", "bad": 1}, "annotations": {"c": "d"}, "finalizers": ["f"],
                  "ownerReferences": [{"apiVersion": "v1", "kind": "Node", "name": "n", "uid": "u2", "controller": true}]}}"""));

        assertThat(object.kind()).isEqualTo(new GroupVersionKind("apps", "v1", "Deployment"));
        assertThat(object.id()).isEqualTo(new NamespacedName("shop", "web"));
        assertThat(object.generateName()).isEqualTo("w-");
        assertThat(object.uid()).isEqualTo("u1");
        assertThat(object.resourceVersion()).isEqualTo("7");
        assertThat(object.generation()).isEqualTo(3);
        assertThat(object.creationTimestamp()).isEqualTo("2026-12-01T10:00:00Z");
        assertThat(object.isDeleting()).isTrue();
        assertThat(object.labels()).isEqualTo(Map.of("a", "b"));
        assertThat(object.annotations()).isEqualTo(Map.of("c", "d"));
        assertThat(object.finalizers()).containsExactly("f");
        assertThat(object.ownerReferences())
                .containsExactly(new KubeObject.OwnerReference(
                        new GroupVersionKind("", "v1", "Node"), "n", "u2", true, false));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{}",
                "{\"metadata\":null}",
                "{\"metadata\":5}",
                "{\"metadata\":[1]}",
                "{\"metadata\":{\"name\":{},\"labels\":[],\"finalizers\":{},\"ownerReferences\":\"x\",\"generation\":\"x\"}}"
            })
    void readsMistypedMetadataAsAbsentAndChangesNothing(String text) throws IOException {
        ObjectNode tree = Json.parseObject(text);
        KubeObject object = KubeObject.of(tree);

        assertThat(object.id()).isEqualTo(new NamespacedName("", ""));
        assertThat(object.labels()).isEmpty();
        assertThat(object.finalizers()).isEmpty();
        assertThat(object.ownerReferences()).isEmpty();
        assertThat(object.generation()).isZero();
        assertThat(object.isDeleting()).isFalse();
        assertThat(tree).isEqualTo(Json.parseObject(text));
    }

    @Test
    void writesMetadataWhereThereIsNone() {
        ObjectNode tree = Json.object();
        KubeObject.of(tree).metadataForUpdate().put("name", "a");
        KubeObject.of(tree).metadataForUpdate().put("namespace", "b");

        assertThat(tree.toString())
                .isEqualTo("{\"metadata\":{\"name\":\"a\",\"namespace\":\"b\"}}");
    }
}
