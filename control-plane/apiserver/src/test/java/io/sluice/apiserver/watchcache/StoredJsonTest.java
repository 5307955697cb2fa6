package io.sluice.apiserver.watchcache;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.api.object.Json;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.nio.charset.StandardCharsets;

class StoredJsonTest {

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{\"kind\":\"A\",\"metadata\":{\"name\":\"x\"}}",
                "{\"kind\":\"Ä€\",\"spec\":{\"metadata\":{\"name\":\"wrong\"},\"l\":[{},[1]]},\"metadata\":{\"name\":\"x\"},\"z\":1}",
                "{ \"metadata\" : { } }",
                "{\"metadata\":{\"labels\":{\"metadata\":\"{\"}}}",
            })
    void putsTheVersionIntoTheBytes(String stored) throws IOException {
        byte[] bytes = stored.getBytes(StandardCharsets.UTF_8);
        assertThat(Json.parseObject(StoredJson.withVersion(bytes, 42)))
                .isEqualTo(StoredJson.decode(bytes, 42));
        assertThat(Json.parseObject(StoredJson.encode(StoredJson.decode(bytes, 42)))
                        .path("metadata"))
                .isEqualTo(Json.parseObject(bytes).path("metadata"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"{}", "{\"metadata\":null}", "{\"metadata\":[1]}"})
    void leavesBytesWithoutMetadata(String stored) throws IOException {
        byte[] bytes = stored.getBytes(StandardCharsets.UTF_8);
        assertThat(StoredJson.withVersion(bytes, 1)).isEqualTo(bytes);
    }
}
