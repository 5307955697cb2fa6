package io.sluice.api.object;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;

import org.snakeyaml.engine.v2.api.LoadSettings;
import org.snakeyaml.engine.v2.api.lowlevel.Compose;
import org.snakeyaml.engine.v2.exceptions.Mark;
import org.snakeyaml.engine.v2.exceptions.YamlEngineException;
import org.snakeyaml.engine.v2.nodes.MappingNode;
import org.snakeyaml.engine.v2.nodes.Node;
import org.snakeyaml.engine.v2.nodes.NodeTuple;
import org.snakeyaml.engine.v2.nodes.ScalarNode;
import org.snakeyaml.engine.v2.nodes.SequenceNode;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * YAML to JSON trees as kubectl's users write it: plain scalars by the rules of YAML 1.1 ({@code yes}, {@code on} and {@code 0x1f}
 * mean what they mean there). Never constructs anything but JSON. Text with aliases that unfold to more than {@value #MAX_NODES}
 * nodes is refused.
 */
public final class Yaml {
    /** How many nodes one document may unfold to. */
    public static final int MAX_NODES = 500_000;

    private static final int MAX_CODE_POINTS = 4 * 1024 * 1024;

    private Yaml() {}

    /** A document that must be a mapping; a key given twice is an error. */
    public static ObjectNode parseObject(String text) throws YamlException {
        return parseObject(text, Optional.empty());
    }

    /**
     * As above; where a key is given twice the last one wins and {@code duplicates} learns the key's path.
     */
    public static ObjectNode parseObject(String text, Consumer<String> duplicates)
            throws YamlException {
        return parseObject(text, Optional.of(duplicates));
    }

    private static ObjectNode parseObject(String text, Optional<Consumer<String>> duplicates)
            throws YamlException {
        JsonNode root = parse(text, duplicates);
        if (root instanceof ObjectNode object) {
            return object;
        }
        throw new YamlException("expected a YAML mapping, found "
                + (root.isNull() ? "nothing" : root.getNodeType().name().toLowerCase()));
    }

    private static JsonNode parse(String text, Optional<Consumer<String>> duplicates)
            throws YamlException {
        // The reader would count too, but only after it has read so far.
        if (text.length() > MAX_CODE_POINTS) {
            throw new YamlException(
                    "YAML is longer than " + MAX_CODE_POINTS + " characters: " + text.length());
        }
        LoadSettings settings = LoadSettings.builder()
                .setCodePointLimit(MAX_CODE_POINTS)
                .setMaxAliasesForCollections(1000)
                .setLabel("yaml")
                .build();
        try {
            Optional<Node> root = new Compose(settings).composeString(text);
            return root.isEmpty()
                    ? JsonNodeFactory.instance.nullNode()
                    : new Converter(duplicates).convert(root.get(), "", 0);
        } catch (YamlEngineException e) {
            throw new YamlException(
                    "not YAML: " + e.getMessage().replaceAll("\\s*\\n\\s*", " "), e);
        } catch (StackOverflowError e) {
            throw new YamlException(
                    "YAML is nested too deep; at most " + Json.MAX_DEPTH + " levels are taken", e);
        }
    }

    /** One conversion; counts what it made. */
    private static final class Converter {
        private final Optional<Consumer<String>> duplicates;
        private int nodes;

        Converter(Optional<Consumer<String>> duplicates) {
            this.duplicates = duplicates;
        }

        JsonNode convert(Node node, String path, int depth) throws YamlException {
            if (++nodes > MAX_NODES) {
                throw new YamlException("YAML unfolds to more than " + MAX_NODES
                        + " nodes; are there nested aliases?");
            }
            if (depth > Json.MAX_DEPTH) {
                throw new YamlException(
                        "YAML is nested deeper than " + Json.MAX_DEPTH + " levels" + at(node));
            }
            return switch (node) {
                case ScalarNode scalar -> YamlScalars.resolve(scalar);
                case SequenceNode sequence -> convertSequence(sequence, path, depth);
                case MappingNode mapping -> convertMapping(mapping, path, depth);
                default ->
                    throw new YamlException(
                            "unexpected YAML node " + node.getNodeType() + at(node));
            };
        }

        private ArrayNode convertSequence(SequenceNode sequence, String path, int depth)
                throws YamlException {
            ArrayNode out = JsonNodeFactory.instance.arrayNode();
            int index = 0;
            for (Node item : sequence.getValue()) {
                out.add(convert(item, path + '[' + index++ + ']', depth + 1));
            }
            return out;
        }

        private ObjectNode convertMapping(MappingNode mapping, String path, int depth)
                throws YamlException {
            ObjectNode out = Json.object();
            List<ObjectNode> merged = new ArrayList<>();
            for (NodeTuple tuple : mapping.getValue()) {
                if (!(tuple.getKeyNode() instanceof ScalarNode keyNode)) {
                    throw new YamlException(
                            "a mapping's key must be a text" + at(tuple.getKeyNode()));
                }
                String key = keyNode.getValue();
                String keyPath = path.isEmpty() ? key : path + '.' + key;
                JsonNode value = convert(tuple.getValueNode(), keyPath, depth + 1);
                if (key.equals("<<") && value instanceof ObjectNode base) {
                    merged.add(base);
                    continue;
                }
                if (out.has(key)) {
                    reportDuplicate(keyNode, keyPath);
                }
                out.set(key, value);
            }
            for (ObjectNode base : merged) {
                base.properties().forEach(entry -> {
                    if (!out.has(entry.getKey())) {
                        out.set(entry.getKey(), entry.getValue());
                    }
                });
            }
            return out;
        }

        private void reportDuplicate(Node key, String path) throws YamlException {
            if (duplicates.isEmpty()) {
                throw new YamlException("key \"" + path + "\" is given twice" + at(key));
            }
            duplicates.get().accept(path);
        }

        private static String at(Node node) {
            Optional<Mark> mark = node.getStartMark();
            return mark.map(m ->
                            " at line " + (m.getLine() + 1) + ", column " + (m.getColumn() + 1))
                    .orElse("");
        }
    }

    /** Block style; texts are quoted where any YAML version could read them as something else. */
    public static String write(JsonNode node) {
        StringBuilder out = new StringBuilder();
        YamlScalars.write(out, node, 0);
        return out.toString();
    }
}
