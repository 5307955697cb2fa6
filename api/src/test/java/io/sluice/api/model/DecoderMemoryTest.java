package io.sluice.api.model;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonParser;

import io.sluice.api.object.Json;

import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
import java.util.function.Function;

/** 50,000 endpoints, as in the target cluster. */
class DecoderMemoryTest {
    private static final int SLICES = 500;
    private static final int ENDPOINTS = 100;
    private static final int NODES = 200;

    @Test
    void sharesEverythingThatRepeats() throws IOException {
        List<EndpointSlice> slices = decodeAll();
        List<Endpoint> endpoints =
                slices.stream().flatMap(slice -> slice.endpoints().stream()).toList();

        assertThat(endpoints).hasSize(SLICES * ENDPOINTS);
        assertThat(different(endpoints, Endpoint::nodeName)).isEqualTo(NODES);
        assertThat(different(endpoints, Endpoint::zone)).isEqualTo(3);
        assertThat(different(endpoints, Endpoint::zoneHints)).isEqualTo(3);
        assertThat(different(endpoints, Endpoint::nodeHints)).isEqualTo(1);
        assertThat(different(endpoints, Endpoint::address)).isEqualTo(SLICES * ENDPOINTS);
    }

    @Test
    void decodingMakesNoTree() throws IOException {
        byte[] slice = slice(0);
        long records = allocatedBy(new EndpointSliceDecoder(), slice);
        long tree = allocatedBy(new TreeDecoder(), slice);

        assertThat(records).isLessThan(tree / 2);
    }

    /** By the second decoding, when texts are shared and classes loaded. */
    private static long allocatedBy(ObjectDecoder<?> decoder, byte[] json) throws IOException {
        decode(decoder, json);
        long before = allocated();
        decode(decoder, json);
        return allocated() - before;
    }

    private static int different(List<Endpoint> endpoints, Function<Endpoint, Object> field) {
        Set<Object> seen = Collections.newSetFromMap(new IdentityHashMap<>());
        endpoints.forEach(endpoint -> seen.add(field.apply(endpoint)));
        return seen.size();
    }

    private static List<EndpointSlice> decodeAll() throws IOException {
        EndpointSliceDecoder decoder = new EndpointSliceDecoder();
        List<EndpointSlice> out = new ArrayList<>();
        for (int i = 0; i < SLICES; i++) {
            out.add(decode(decoder, slice(i)));
        }
        return out;
    }

    private static <T> T decode(ObjectDecoder<T> decoder, byte[] json) throws IOException {
        try (JsonParser parser = Json.parser(json)) {
            parser.nextToken();
            return decoder.decode(parser, problem -> assertThat(problem).isNull())
                    .orElseThrow()
                    .value();
        }
    }

    private static long allocated() {
        return ((com.sun.management.ThreadMXBean)
                        java.lang.management.ManagementFactory.getThreadMXBean())
                .getCurrentThreadAllocatedBytes();
    }

    private static byte[] slice(int number) {
        StringBuilder out = new StringBuilder(
                "{\"metadata\":{\"name\":\"s" + number
                        + "\",\"namespace\":\"d\",\"labels\":{\"kubernetes.io/service-name\":\"s"
                        + number
                        + "\"}},\"addressType\":\"IPv4\",\"ports\":[{\"name\":\"http\",\"port\":8080}],\"endpoints\":[");
        for (int i = 0; i < ENDPOINTS; i++) {
            int id = number * ENDPOINTS + i;
            out.append(i == 0 ? "" : ",").append("""
                    {"addresses":["10.%d.%d.%d"],"conditions":{"ready":true,"serving":true,"terminating":false},
                    "nodeName":"node-%d","zone":"zone-%d","hints":{"forZones":[{"name":"zone-%d"}]},
                    "targetRef":{"kind":"Pod","namespace":"d","name":"web-%d"}}""".formatted(
                            id >> 16, id >> 8 & 255, id & 255, id % NODES, id % 3, id % 3, id));
        }
        return out.append("]}").toString().getBytes(StandardCharsets.UTF_8);
    }
}
