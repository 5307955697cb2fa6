package io.sluice.apiserver.kinds;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;

import io.sluice.apiserver.allocator.ServiceAllocator;
import io.sluice.apiserver.registry.ApiException;
import io.sluice.apiserver.registry.Kind;
import io.sluice.apiserver.schema.Schema.Struct;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/** Objects of the right types and no sense: each is accepted or refused with reasons, and every column can show it. */
final class NonsensePropertyTest {
    private static final Instant NOW = Instant.parse("2026-12-01T12:00:00Z");

    @ParameterizedTest
    @ValueSource(longs = {11, 12, 13, 14})
    void nothingBreaks(long seed) {
        Random random = new Random(seed);
        RandomObjects objects = new RandomObjects(random);
        ServiceAllocator allocator = KindRun.allocator("10.96.0.0/16", "fd00:10:96::/112");
        KindRun run = new KindRun(allocator);
        int refused = 0;
        for (int i = 0; i < 300; i++) {
            for (Kind kind : BuiltinKinds.all(allocator)) {
                ObjectNode object = objects.struct((Struct) kind.schema(), 0);
                object.put("apiVersion", kind.gvk().apiVersion())
                        .put("kind", kind.gvk().kind());
                List<String> cells = new ArrayList<>();
                kind.columns()
                        .forEach(column ->
                                cells.add(column.cell().of(object, NOW).asText()));
                kind.fieldSelectors()
                        .values()
                        .forEach(selector -> cells.add(selector.apply(object)));
                assertThat(cells).doesNotContainNull();
                refused += outcome(run, object) + change(run, object, objects, kind);
            }
        }
        assertThat(refused).isPositive();
    }

    private static int outcome(KindRun run, ObjectNode object) {
        try {
            run.create(object).reservation().close();
            return 0;
        } catch (ApiException e) {
            assertThat(e.code()).isEqualTo(422);
            assertThat(e.status().path("details").path("causes")).isNotEmpty();
            return 1;
        }
    }

    private static int change(KindRun run, ObjectNode old, RandomObjects objects, Kind kind) {
        ObjectNode object = objects.struct((Struct) kind.schema(), 0);
        object.put("apiVersion", kind.gvk().apiVersion()).put("kind", kind.gvk().kind());
        kind.strategy().prepareForStatusUpdate(object.deepCopy(), old);
        kind.strategy().gracePeriodSeconds(object, -1);
        kind.strategy().warnings(object);
        try {
            run.updateOnly(object, old).reservation().close();
            return 0;
        } catch (ApiException e) {
            assertThat(e.code()).isEqualTo(422);
            return 1;
        }
    }
}
