package io.sluice.apiserver.kinds;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

import org.junit.jupiter.api.Test;

/** Objects at and one past their limits. */
final class SizesTest {
    private static final int MEBIBYTE = 1024 * 1024;
    private final KindRun run = KindRun.singleStack();

    private static ObjectNode configMap() {
        return KindRun.yaml(
                "{apiVersion: v1, kind: ConfigMap, metadata: {name: c, namespace: default}}");
    }

    @Test
    void configMapsHoldOneMebibyte() {
        ObjectNode map = configMap();
        map.putObject("data").put("a", "x".repeat(MEBIBYTE));
        assertThat(RefusalsGoldenTest.causes(run, map)).isEqualTo("accepted\n");
        map.putObject("data").put("a", "x".repeat(MEBIBYTE + 1));
        assertThat(RefusalsGoldenTest.causes(run, map))
                .isEqualTo(": Too long: may not be more than 1048576 bytes [FieldValueTooLong]\n");
    }

    @Test
    void secretsCountDecodedBytes() {
        ObjectNode secret = KindRun.yaml(
                "{apiVersion: v1, kind: Secret, metadata: {name: s, namespace: default}}");
        secret.putObject("stringData").put("a", "x".repeat(MEBIBYTE));
        assertThat(RefusalsGoldenTest.causes(run, secret)).isEqualTo("accepted\n");
        secret.putObject("stringData").put("a", "x".repeat(MEBIBYTE + 1));
        assertThat(RefusalsGoldenTest.causes(run, secret)).startsWith("data: Too long");
    }

    @Test
    void annotationsHoldAQuarterOfThat() {
        ObjectNode map = configMap();
        ObjectNode notes = ((ObjectNode) map.get("metadata")).putObject("annotations");
        notes.put("a", "x".repeat(MEBIBYTE / 4 - 1));
        assertThat(RefusalsGoldenTest.causes(run, map)).isEqualTo("accepted\n");
        notes.put("a", "x".repeat(MEBIBYTE / 4));
        assertThat(RefusalsGoldenTest.causes(run, map))
                .startsWith("metadata.annotations: Too long");
    }

    @Test
    void slicesHoldAThousandEndpoints() {
        ObjectNode slice = KindRun.yaml(
                "{apiVersion: discovery.k8s.io/v1, kind: EndpointSlice, metadata: {name: e, namespace: default},"
                        + " addressType: IPv4}");
        ArrayNode endpoints = slice.putArray("endpoints");
        for (int i = 0; i < 1000; i++) {
            endpoints
                    .addObject()
                    .putArray("addresses")
                    .add("10.0." + i / 250 + '.' + (i % 250 + 1));
        }
        assertThat(RefusalsGoldenTest.causes(run, slice)).isEqualTo("accepted\n");
        endpoints.addObject().putArray("addresses").add("10.1.0.1");
        assertThat(RefusalsGoldenTest.causes(run, slice))
                .isEqualTo(
                        "endpoints: Too many: 1001: must have at most 1000 items [FieldValueTooMany]\n");
    }
}
