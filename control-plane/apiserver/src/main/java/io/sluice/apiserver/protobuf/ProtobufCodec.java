package io.sluice.apiserver.protobuf;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;

import io.sluice.api.object.Json;
import io.sluice.api.quantity.Rfc3339;
import io.sluice.apiserver.schema.DecodeException;
import io.sluice.apiserver.schema.Schema;
import io.sluice.apiserver.schema.Schema.Array;
import io.sluice.apiserver.schema.Schema.Dictionary;
import io.sluice.apiserver.schema.Schema.Scalar;
import io.sluice.apiserver.schema.Schema.ScalarType;
import io.sluice.apiserver.schema.Schema.Struct;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.Base64;
import java.util.Map;
import java.util.Optional;

/**
 * From the API's protobuf form to the tree the JSON form would have given. Go writes plain fields also where they are empty, so empty
 * texts and zeros read as absent, but for the fields where zero is a value.
 */
public final class ProtobufCodec {
    private static final byte[] MAGIC = {'k', '8', 's', 0};
    private static final int MAX_DEPTH = 64;
    private static final JsonNodeFactory NODES = JsonNodeFactory.instance;

    private final FieldNumbers numbers;

    private ProtobufCodec(FieldNumbers numbers) {
        this.numbers = numbers;
    }

    /** @throws DecodeException if the bytes are no object in an envelope */
    public static ObjectNode decode(byte[] body, Struct schema) throws DecodeException {
        boolean framed = body.length >= MAGIC.length
                && ByteBuffer.wrap(body, 0, MAGIC.length).equals(ByteBuffer.wrap(MAGIC));
        if (!framed) {
            throw new DecodeException(
                    "provided data does not appear to be a protobuf message, expected prefix [107 56 115 0]");
        }
        return new ProtobufCodec(FieldNumbers.shared())
                .envelope(ByteBuffer.wrap(body, MAGIC.length, body.length - MAGIC.length), schema);
    }

    private ObjectNode envelope(ByteBuffer in, Struct schema) throws DecodeException {
        String apiVersion = "";
        String kind = "";
        ObjectNode out = Json.object();
        WireReader reader = new WireReader(in);
        while (reader.next()) {
            switch (reader.number()) {
                case 1 -> {
                    WireReader type = new WireReader(reader.bytes());
                    while (type.next()) {
                        switch (type.number()) {
                            case 1 -> apiVersion = type.text();
                            case 2 -> kind = type.text();
                            default -> type.skip();
                        }
                    }
                }
                case 2 -> fill(out, reader.bytes(), schema.definition(), schema, 0);
                default -> reader.skip();
            }
        }
        if (!apiVersion.isEmpty()) {
            out.put("apiVersion", apiVersion);
        }
        if (!kind.isEmpty()) {
            out.put("kind", kind);
        }
        return out;
    }

    /** @param type whose numbers count; the fields are the schema's, which is another type's where one is inlined */
    private void fill(ObjectNode out, ByteBuffer in, String type, Struct schema, int depth)
            throws DecodeException {
        if (depth > MAX_DEPTH) {
            throw new DecodeException(
                    "malformed protobuf: nested deeper than " + MAX_DEPTH + " levels");
        }
        Map<Integer, FieldNumbers.Field> known = numbers.of(type);
        WireReader reader = new WireReader(in);
        while (reader.next()) {
            FieldNumbers.Field field = known.get(reader.number());
            if (field == null) {
                reader.skip();
            } else if (!field.inlined().isEmpty()) {
                fill(out, reader.bytes(), field.inlined(), schema, depth + 1);
            } else if (schema.fields().containsKey(field.name())) {
                read(out, field, schema.fields().get(field.name()).schema(), reader, depth);
            } else {
                reader.skip();
            }
        }
    }

    private void read(
            ObjectNode out, FieldNumbers.Field field, Schema schema, WireReader reader, int depth)
            throws DecodeException {
        switch (schema) {
            case Array array -> items(out, field, array, reader, depth);
            case Dictionary map -> entry(out, field, map, reader, depth);
            case Scalar scalar -> {
                Optional<JsonNode> value = scalar(reader, scalar.type());
                if (value.isPresent() && (field.keepsZero() || !isZero(value.get()))) {
                    out.set(field.name(), value.get());
                }
            }
            case Struct struct -> out.set(field.name(), struct(reader, struct, depth));
            case Schema.Any _ -> any(reader).ifPresent(value -> out.set(field.name(), value));
        }
    }

    private static boolean isZero(JsonNode value) {
        return value.isTextual() && value.textValue().isEmpty()
                || value.isNumber() && value.doubleValue() == 0
                || value.isBoolean() && !value.booleanValue();
    }

    private ObjectNode struct(WireReader reader, Struct schema, int depth) throws DecodeException {
        ObjectNode out = Json.object();
        fill(out, reader.bytes(), schema.definition(), schema, depth + 1);
        return out;
    }

    private void items(
            ObjectNode out, FieldNumbers.Field field, Array array, WireReader reader, int depth)
            throws DecodeException {
        var items = out.withArray(field.name());
        boolean packed = reader.type() == WireReader.BYTES
                && array.items() instanceof Scalar scalar
                && (scalar.type() == ScalarType.INT32 || scalar.type() == ScalarType.INT64);
        if (packed) {
            WireReader values = new WireReader(reader.bytes());
            while (values.hasRemaining()) {
                items.add(values.varint());
            }
            return;
        }
        value(reader, array.items(), depth).ifPresent(items::add);
    }

    private void entry(
            ObjectNode out, FieldNumbers.Field field, Dictionary map, WireReader reader, int depth)
            throws DecodeException {
        WireReader entry = new WireReader(reader.bytes());
        String key = "";
        JsonNode value = NODES.textNode("");
        while (entry.next()) {
            switch (entry.number()) {
                case 1 -> key = entry.text();
                case 2 -> value = value(entry, map.values(), depth).orElse(value);
                default -> entry.skip();
            }
        }
        out.withObject("/" + field.name().replace("~", "~0").replace("/", "~1")).set(key, value);
    }

    private Optional<JsonNode> value(WireReader reader, Schema schema, int depth)
            throws DecodeException {
        return switch (schema) {
            case Scalar scalar -> scalar(reader, scalar.type());
            case Struct struct -> Optional.of(struct(reader, struct, depth));
            case Schema.Any _ -> any(reader);
            case Array _, Dictionary _ ->
                throw new DecodeException(
                        "malformed protobuf: a list within a list or a map within a map");
        };
    }

    /** Empty for a time that is not set. */
    private static Optional<JsonNode> scalar(WireReader reader, ScalarType type)
            throws DecodeException {
        return switch (type) {
            case STRING -> Optional.of(NODES.textNode(reader.text()));
            case BOOLEAN -> Optional.of(NODES.booleanNode(reader.expectVarint() != 0));
            case INT32 -> Optional.of(NODES.numberNode((int) reader.expectVarint()));
            case INT64 -> Optional.of(integer(reader.expectVarint()));
            case DOUBLE -> Optional.of(NODES.numberNode(reader.fixed64()));
            case BYTES -> {
                ByteBuffer bytes = reader.bytes();
                byte[] copy = new byte[bytes.remaining()];
                bytes.get(copy);
                yield Optional.of(NODES.textNode(Base64.getEncoder().encodeToString(copy)));
            }
            case QUANTITY -> Optional.of(NODES.textNode(firstText(reader.bytes())));
            case INT_OR_STRING -> Optional.of(intOrString(reader.bytes()));
            case TIME -> time(reader.bytes()).map(at -> NODES.textNode(Rfc3339.seconds(at)));
            case MICRO_TIME -> time(reader.bytes()).map(at -> NODES.textNode(Rfc3339.micros(at)));
        };
    }

    /** As a JSON parser would give it. */
    private static JsonNode integer(long value) {
        return value == (int) value ? NODES.numberNode((int) value) : NODES.numberNode(value);
    }

    private static String firstText(ByteBuffer in) throws DecodeException {
        WireReader reader = new WireReader(in);
        String out = "";
        while (reader.next()) {
            if (reader.number() == 1) {
                out = reader.text();
            } else {
                reader.skip();
            }
        }
        return out;
    }

    private static JsonNode intOrString(ByteBuffer in) throws DecodeException {
        WireReader reader = new WireReader(in);
        long type = 0;
        int number = 0;
        String text = "";
        while (reader.next()) {
            switch (reader.number()) {
                case 1 -> type = reader.expectVarint();
                case 2 -> number = (int) reader.expectVarint();
                case 3 -> text = reader.text();
                default -> reader.skip();
            }
        }
        return type == 0 ? NODES.numberNode(number) : NODES.textNode(text);
    }

    private static Optional<Instant> time(ByteBuffer in) throws DecodeException {
        WireReader reader = new WireReader(in);
        boolean set = false;
        long seconds = 0;
        long nanos = 0;
        while (reader.next()) {
            switch (reader.number()) {
                case 1 -> {
                    seconds = reader.expectVarint();
                    set = true;
                }
                case 2 -> nanos = reader.expectVarint();
                default -> reader.skip();
            }
        }
        try {
            return set ? Optional.of(Instant.ofEpochSecond(seconds, nanos)) : Optional.empty();
        } catch (DateTimeException | ArithmeticException e) {
            throw WireReader.malformed("a time of " + seconds + " seconds");
        }
    }

    /** Raw JSON within the message. */
    private static Optional<JsonNode> any(WireReader reader) throws DecodeException {
        String raw = firstText(reader.bytes());
        try {
            return raw.isEmpty() ? Optional.empty() : Optional.of(Json.MAPPER.readTree(raw));
        } catch (IOException e) {
            throw WireReader.malformed("a raw extension that is no JSON");
        }
    }
}
