package io.sluice.apiserver.schema;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.api.object.Json;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.nio.charset.StandardCharsets;

/** Bodies of requests against the Service schema. */
final class ObjectCodecTest {
    private static final Schema.Struct SERVICE =
            SchemaLibrary.shared().struct("core-v1", "Service");
    private static final Schema.Struct SECRET = SchemaLibrary.shared().struct("core-v1", "Secret");
    private static final Schema.Struct POD = SchemaLibrary.shared().struct("core-v1", "Pod");

    private static ObjectCodec.Decoded decode(String json, Schema.Struct schema)
            throws DecodeException {
        return ObjectCodec.decodeJson(json.getBytes(StandardCharsets.UTF_8), schema);
    }

    @Test
    void namesUnknownAndDuplicateFieldsAndLeavesThemOut() throws Exception {
        ObjectCodec.Decoded decoded = decode("""
                {"kind":"Service","foo":1,"spec":{"type":"NodePort","type":"ClusterIP",
                 "ports":[{"port":1},{"port":2,"prot":"x"}]}}""", SERVICE);
        assertThat(decoded.problems())
                .containsExactly(
                        "duplicate field \"spec.type\"",
                        "unknown field \"foo\"",
                        "unknown field \"spec.ports[1].prot\"");
        assertThat(decoded.strictError())
                .isEqualTo(
                        "strict decoding error: duplicate field \"spec.type\", unknown field \"foo\","
                                + " unknown field \"spec.ports[1].prot\"");
        assertThat(decoded.object()).isEqualTo(Json.parseObject("""
                        {"kind":"Service","spec":{"type":"ClusterIP","ports":[{"port":1},{"port":2}]}}"""));
    }

    @Test
    void nullsAreAbsent() throws Exception {
        ObjectCodec.Decoded decoded = decode("""
                {"metadata":{"creationTimestamp":null,"labels":{"a":null}},"spec":null}""", SERVICE);
        assertThat(decoded.object())
                .isEqualTo(Json.parseObject("{\"metadata\":{\"labels\":{\"a\":\"\"}}}"));
        assertThat(decoded.problems()).isEmpty();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '\0',
            value = {
                "{'spec':{'ports':[{'port':'80'}]}} | cannot unmarshal string into Go struct field Service.spec.ports[0].port of type int32",
                "{'spec':{'ports':[{'port':3000000000}]}} | cannot unmarshal number 3000000000 into Go struct field Service.spec.ports[0].port of type int32",
                "{'spec':{'ports':[{'port':1.5}]}} | of type int32",
                "{'spec':{'ports':{}}} | cannot unmarshal object into Go struct field Service.spec.ports of type []ServicePort",
                "{'spec':[]} | cannot unmarshal array into Go struct field Service.spec of type ServiceSpec",
                "{'spec':{'selector':{'a':1}}} | Service.spec.selector.a of type string",
                "{'spec':{'selector':[]}} | Service.spec.selector of type map",
                "{'spec':{'publishNotReadyAddresses':'yes'}} | of type bool",
                "{'spec':{'ports':[{'targetPort':true}]}} | of type intstr.IntOrString",
                "{'metadata':{'creationTimestamp':'now'}} | parsing time \"now\"",
                "{'spec':{'ports':[null]}} | cannot unmarshal null",
                "{'spec':{} | json parse error",
                "[] | expected an object",
                "{} {} | after top-level value",
                "text | json parse error",
            })
    void refusesWrongTypes(String json, String message) {
        assertThatThrownBy(() -> decode(json.replace('\'', '"'), SERVICE))
                .isInstanceOf(DecodeException.class)
                .hasMessageContaining(message.strip());
    }

    @Test
    void checksBytesAndQuantities() {
        assertThatThrownBy(() -> decode("{\"data\":{\"a\":\"*\"}}", SECRET))
                .hasMessageContaining("illegal base64");
        assertThatThrownBy(() -> decode(
                        "{\"spec\":{\"containers\":[{\"resources\":{\"limits\":{\"cpu\":\"1x\"}}}]}}",
                        POD))
                .hasMessageContaining("quantities must match");
    }

    @Test
    void readsYamlWithTheSameRules() throws Exception {
        ObjectCodec.Decoded decoded = ObjectCodec.decodeYaml(
                "spec:\n  type: NodePort\n  type: ClusterIP\n  x: 1\n"
                        .getBytes(StandardCharsets.UTF_8),
                SERVICE);
        assertThat(decoded.problems())
                .containsExactly("duplicate field \"spec.type\"", "unknown field \"spec.x\"");
        assertThatThrownBy(() ->
                        ObjectCodec.decodeYaml("a: [".getBytes(StandardCharsets.UTF_8), SERVICE))
                .isInstanceOf(DecodeException.class);
    }

    @Test
    void deepNestingIsRefusedNotOverflown() {
        String deep = "{\"spec\":".repeat(5000) + "1" + "}".repeat(5000);
        assertThatThrownBy(() -> decode(deep, SERVICE)).isInstanceOf(DecodeException.class);
    }

    @Test
    void manyProblemsAreCut() throws Exception {
        StringBuilder json = new StringBuilder("{");
        for (int i = 0; i < 5000; i++) {
            json.append("\"x").append(i).append("\":1,");
        }
        json.append("\"kind\":\"Service\"}");
        ObjectCodec.Decoded decoded = decode(json.toString(), SERVICE);
        assertThat(decoded.problems()).hasSize(ObjectCodec.MAX_PROBLEMS);
        assertThat(decoded.object()).hasSize(1);
    }
}
