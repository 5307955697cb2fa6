package io.sluice.apiserver.patch;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

import io.sluice.api.object.Json;
import io.sluice.apiserver.schema.Schema.Struct;
import io.sluice.apiserver.schema.SchemaLibrary;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;

/** A patch made from two pods, as kubectl makes it, turns the one into the other; and twice is as good as once. */
final class StrategicMergePatchPropertyTest {
    private static final Struct POD = SchemaLibrary.shared().struct("core-v1", "Pod");

    @ParameterizedTest
    @ValueSource(longs = {21, 22, 23})
    void aDifferenceApplied(long seed) throws Exception {
        Random random = new Random(seed);
        for (int i = 0; i < 2000; i++) {
            ObjectNode before = pod(random);
            ObjectNode after = pod(random);
            ObjectNode patch = Json.object();
            patch.set("metadata", finalizers(before, after));
            patch.set("spec", containers(before, after));
            ObjectNode once = StrategicMergePatch.apply(before, patch, POD);
            assertThat(once).as("seed " + seed + ", " + before + " + " + patch).isEqualTo(after);
            assertThat(StrategicMergePatch.apply(once, patch, POD)).isEqualTo(after);
        }
    }

    private static ObjectNode pod(Random random) {
        ObjectNode pod = Json.object();
        List<String> names = new ArrayList<>(List.of("a", "b", "c", "d", "e"));
        Collections.shuffle(names, random);
        ArrayNode finalizers = pod.putObject("metadata").putArray("finalizers");
        names.subList(0, 1 + random.nextInt(4)).forEach(finalizers::add);
        Collections.shuffle(names, random);
        ArrayNode containers = pod.putObject("spec").putArray("containers");
        for (String name : names.subList(0, 1 + random.nextInt(4))) {
            ObjectNode container = containers.addObject().put("name", name);
            if (random.nextBoolean()) {
                container.put("image", "i" + random.nextInt(2));
            }
            if (random.nextBoolean()) {
                container.putArray("args").add("x" + random.nextInt(3));
            }
        }
        return pod;
    }

    private static ObjectNode finalizers(ObjectNode before, ObjectNode after) {
        ArrayNode old = (ArrayNode) before.path("metadata").path("finalizers");
        ArrayNode now = (ArrayNode) after.path("metadata").path("finalizers");
        ObjectNode out = Json.object();
        out.set("$setElementOrder/finalizers", now);
        ArrayNode gone = out.putArray("$deleteFromPrimitiveList/finalizers");
        old.forEach(value -> addUnless(gone, value, now));
        ArrayNode come = Json.MAPPER.createArrayNode();
        now.forEach(value -> addUnless(come, value, old));
        if (!come.isEmpty()) {
            out.set("finalizers", come);
        }
        return out;
    }

    private static void addUnless(ArrayNode out, JsonNode value, ArrayNode list) {
        boolean has = false;
        for (JsonNode other : list) {
            has |= other.equals(value);
        }
        if (!has) {
            out.add(value);
        }
    }

    private static ObjectNode containers(ObjectNode before, ObjectNode after) {
        Map<String, JsonNode> old = byName(before);
        Map<String, JsonNode> now = byName(after);
        ObjectNode out = Json.object();
        ArrayNode order = out.putArray("$setElementOrder/containers");
        ArrayNode changes = Json.MAPPER.createArrayNode();
        now.forEach((name, container) -> {
            order.addObject().put("name", name);
            ObjectNode change = container.deepCopy();
            if (old.containsKey(name)) {
                old.get(name).fieldNames().forEachRemaining(field -> {
                    if (!container.has(field)) {
                        change.putNull(field);
                    }
                });
            }
            changes.add(change);
        });
        old.keySet().stream()
                .filter(name -> !now.containsKey(name))
                .forEach(name -> changes.addObject().put("$patch", "delete").put("name", name));
        out.set("containers", changes);
        return out;
    }

    private static Map<String, JsonNode> byName(ObjectNode pod) {
        Map<String, JsonNode> out = new LinkedHashMap<>();
        pod.path("spec")
                .path("containers")
                .forEach(container -> out.put(container.path("name").asText(), container));
        return out;
    }
}
