package io.sluice.api.object;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;

import org.snakeyaml.engine.v2.common.ScalarStyle;
import org.snakeyaml.engine.v2.nodes.ScalarNode;
import org.snakeyaml.engine.v2.nodes.Tag;
import org.snakeyaml.engine.v2.resolver.JsonScalarResolver;
import org.snakeyaml.engine.v2.resolver.ScalarResolver;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;

/** What a scalar means, and how a tree is written. */
final class YamlScalars {
    private static final Set<String> TRUE =
            Set.of("true", "True", "TRUE", "yes", "Yes", "YES", "on", "On", "ON", "y", "Y");
    private static final Set<String> FALSE =
            Set.of("false", "False", "FALSE", "no", "No", "NO", "off", "Off", "OFF", "n", "N");
    private static final Set<String> NULL = Set.of("", "~", "null", "Null", "NULL");
    private static final Pattern DECIMAL = Pattern.compile("[-+]?(0|[1-9][0-9_]*)");
    private static final Pattern OCTAL = Pattern.compile("[-+]?0o?([0-7]+)");
    private static final Pattern HEX = Pattern.compile("[-+]?0x[0-9a-fA-F]+");
    private static final Pattern FLOAT = Pattern.compile(
            "[-+]?(\\.[0-9]+|[0-9]+\\.[0-9]*|[0-9]+(?=[eE]))([eE][-+]?[0-9]{1,3})?");
    private static final Pattern PLAIN =
            Pattern.compile("[A-Za-z_/][A-Za-z0-9_./-]*( [A-Za-z0-9_./-]+)*");
    private static final int MAX_DIGITS = 100;
    private static final ScalarResolver IMPLICIT = new JsonScalarResolver();

    private YamlScalars() {}

    static JsonNode resolve(ScalarNode scalar) {
        String text = scalar.getValue();
        boolean plain = scalar.getScalarStyle() == ScalarStyle.PLAIN && !isTaggedText(scalar);
        return plain ? resolvePlain(text) : JsonNodeFactory.instance.textNode(text);
    }

    /** Whether the writer put {@code !!str} before a text that would be something else without it. */
    private static boolean isTaggedText(ScalarNode scalar) {
        return scalar.getTag().equals(Tag.STR)
                && !IMPLICIT.resolve(scalar.getValue(), true).equals(Tag.STR);
    }

    private static JsonNode resolvePlain(String text) {
        JsonNodeFactory nodes = JsonNodeFactory.instance;
        if (NULL.contains(text)) {
            return nodes.nullNode();
        }
        if (TRUE.contains(text) || FALSE.contains(text)) {
            return nodes.booleanNode(TRUE.contains(text));
        }
        if (text.length() > MAX_DIGITS) {
            return nodes.textNode(text);
        }
        if (DECIMAL.matcher(text).matches()) {
            return integer(new BigInteger(text.replace("_", "").replaceFirst("^\\+", "")));
        }
        if (HEX.matcher(text).matches()) {
            return integer(
                    new BigInteger(text.replaceFirst("0x", "").replaceFirst("^\\+", ""), 16));
        }
        if (OCTAL.matcher(text).matches()) {
            return integer(
                    new BigInteger(text.replaceFirst("0o?", "").replaceFirst("^\\+", ""), 8));
        }
        if (FLOAT.matcher(text).matches()) {
            return nodes.numberNode(new BigDecimal(text));
        }
        return nodes.textNode(text);
    }

    private static JsonNode integer(BigInteger value) {
        boolean small = value.bitLength() < 64;
        return small
                ? JsonNodeFactory.instance.numberNode(value.longValueExact())
                : JsonNodeFactory.instance.numberNode(value);
    }

    static void write(StringBuilder out, JsonNode node, int indent) {
        switch (node) {
            case ObjectNode object when !object.isEmpty() -> writeObject(out, object, indent);
            case ArrayNode array when !array.isEmpty() -> writeArray(out, array, indent);
            default -> out.append(scalar(node)).append('\n');
        }
    }

    private static void writeObject(StringBuilder out, ObjectNode object, int indent) {
        for (Map.Entry<String, JsonNode> entry : object.properties()) {
            out.append(" ".repeat(atLineStart(out) ? indent : 0));
            out.append(text(entry.getKey())).append(':');
            JsonNode value = entry.getValue();
            if (value.isContainerNode() && !value.isEmpty()) {
                out.append('\n');
                write(out, value, value.isArray() ? indent : indent + 2);
            } else {
                out.append(' ');
                write(out, value, indent);
            }
        }
    }

    private static void writeArray(StringBuilder out, ArrayNode array, int indent) {
        for (JsonNode item : array) {
            out.append(" ".repeat(atLineStart(out) ? indent : 0)).append("- ");
            write(out, item, indent + 2);
        }
    }

    private static boolean atLineStart(StringBuilder out) {
        return out.isEmpty() || out.charAt(out.length() - 1) == '\n';
    }

    private static String scalar(JsonNode node) {
        return node.isTextual() ? text(node.textValue()) : node.toString();
    }

    private static String text(String text) {
        boolean safe = PLAIN.matcher(text).matches()
                && !TRUE.contains(text)
                && !FALSE.contains(text)
                && !NULL.contains(text);
        return safe ? text : escape(JsonNodeFactory.instance.textNode(text).toString());
    }

    /** JSON leaves characters alone that YAML forbids or takes for line breaks. */
    private static String escape(String json) {
        StringBuilder out = new StringBuilder(json.length());
        json.codePoints().forEach(point -> {
            boolean plain = point >= 0x20 && point < 0x7f
                    || point >= 0xa0 && point < 0xd800 && point != 0x2028 && point != 0x2029
                    || point >= 0xe000 && point < 0xfffe && point != 0xfeff
                    || point >= 0x10000;
            if (plain) {
                out.appendCodePoint(point);
            } else {
                out.append(String.format("\\u%04x", point));
            }
        });
        return out.toString();
    }
}
