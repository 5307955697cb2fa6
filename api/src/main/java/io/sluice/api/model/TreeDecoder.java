package io.sluice.api.model;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

import io.sluice.api.object.Json;
import io.sluice.api.object.KubeObject;

import java.io.IOException;
import java.util.Optional;
import java.util.function.Consumer;

/** Reads objects of any kind as trees; for kinds of which there are few. */
public final class TreeDecoder implements ObjectDecoder<ObjectNode> {

    @Override
    public Optional<Decoded<ObjectNode>> decode(JsonParser parser, Consumer<String> problems)
            throws IOException {
        JsonNode node = Json.readTree(parser);
        if (node instanceof ObjectNode tree) {
            KubeObject object = KubeObject.of(tree);
            if (!object.name().isEmpty()) {
                return Optional.of(new Decoded<>(object.id(), object.resourceVersion(), tree));
            }
        }
        problems.accept("object without a name passed over");
        return Optional.empty();
    }
}
