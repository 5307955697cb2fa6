package io.sluice.apiserver.openapi;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

import io.sluice.api.meta.GroupVersionKind;
import io.sluice.api.object.Json;
import io.sluice.apiserver.registry.Kind;
import io.sluice.apiserver.schema.Schema;
import io.sluice.apiserver.schema.Schema.Array;
import io.sluice.apiserver.schema.Schema.Dictionary;
import io.sluice.apiserver.schema.Schema.Field;
import io.sluice.apiserver.schema.Schema.ListType;
import io.sluice.apiserver.schema.Schema.Scalar;
import io.sluice.apiserver.schema.Schema.ScalarType;
import io.sluice.apiserver.schema.Schema.Struct;
import io.sluice.apiserver.schema.SchemaLibrary;

import java.util.Map;
import java.util.TreeMap;

/** Collects the definitions of one document: those asked for, and all they refer to. Used by one thread, once. */
final class Definitions {
    static final String META = "io.k8s.apimachinery.pkg.apis.meta.v1.";
    private static final String QUANTITY = "io.k8s.apimachinery.pkg.api.resource.Quantity";
    private static final String INT_OR_STRING = "io.k8s.apimachinery.pkg.util.intstr.IntOrString";

    private final Dialect dialect;
    private final Map<String, ObjectNode> all = new TreeMap<>();

    Definitions(Dialect dialect) {
        this.dialect = dialect;
    }

    /** The kind's object and its list. */
    void addKind(Kind kind) {
        Struct struct = (Struct) kind.schema();
        mark(add(struct), kind.gvk());
        ObjectNode list = Json.object();
        list.put("type", "object");
        ObjectNode properties = list.putObject("properties");
        properties.set("apiVersion", Json.object().put("type", "string"));
        properties.set("kind", Json.object().put("type", "string"));
        properties.set("metadata", reference(meta("ListMeta"), false));
        ObjectNode items = Json.object();
        items.put("type", "array").set("items", reference(struct, true));
        properties.set("items", items);
        list.putArray("required").add("items");
        GroupVersionKind gvk = kind.gvk();
        mark(list, new GroupVersionKind(gvk.group(), gvk.version(), gvk.kind() + "List"));
        all.put(struct.definition() + "List", list);
    }

    static Struct meta(String type) {
        return SchemaLibrary.shared().struct("meta-v1", type);
    }

    /** The definition of a struct, made with all it refers to. */
    ObjectNode add(Struct struct) {
        ObjectNode known = all.get(struct.definition());
        if (known != null) {
            return known;
        }
        ObjectNode out = Json.object();
        all.put(struct.definition(), out);
        out.put("type", "object");
        ArrayNode required = out.arrayNode();
        ObjectNode properties = out.putObject("properties");
        for (Map.Entry<String, Field> entry : struct.fields().entrySet()) {
            properties.set(entry.getKey(), field(entry.getValue()));
            if (entry.getValue().required()) {
                required.add(entry.getKey());
            }
        }
        if (!required.isEmpty()) {
            out.set("required", required);
        }
        if (struct.atomic()) {
            out.put("x-kubernetes-map-type", "atomic");
        }
        return out;
    }

    private static void mark(ObjectNode definition, GroupVersionKind gvk) {
        definition.putArray("x-kubernetes-group-version-kind").add(Paths.gvk(gvk));
    }

    private ObjectNode field(Field field) {
        ObjectNode out = schema(field.schema(), field.defaultValue().isPresent());
        field.defaultValue().ifPresent(value -> out.set("default", value));
        if (!field.patchStrategy().isEmpty()) {
            out.put("x-kubernetes-patch-strategy", field.patchStrategy());
        }
        return out;
    }

    private ObjectNode schema(Schema schema, boolean besideOthers) {
        return switch (schema) {
            case Struct struct -> reference(struct, besideOthers);
            case Dictionary map -> dictionary(map);
            case Array array -> array(array);
            case Scalar scalar -> scalar(scalar);
            case Schema.Any _ -> Json.object().put("type", "object");
        };
    }

    ObjectNode reference(Struct struct, boolean besideOthers) {
        add(struct);
        return besideOthers
                ? dialect.referenceBesideOthers(struct.definition())
                : dialect.reference(struct.definition());
    }

    private ObjectNode dictionary(Dictionary map) {
        ObjectNode out = Json.object().put("type", "object");
        out.set("additionalProperties", schema(map.values(), false));
        if (map.atomic()) {
            out.put("x-kubernetes-map-type", "atomic");
        }
        return out;
    }

    private ObjectNode array(Array array) {
        ObjectNode out = Json.object().put("type", "array");
        out.set("items", schema(array.items(), false));
        switch (array.type()) {
            case ATOMIC -> out.put("x-kubernetes-list-type", "atomic");
            case SET -> out.put("x-kubernetes-list-type", "set");
            case MAP -> {
                out.put("x-kubernetes-list-type", "map");
                ArrayNode keys = out.putArray("x-kubernetes-list-map-keys");
                array.mapKeys().forEach(keys::add);
            }
        }
        if (!array.mergeKey().isEmpty()) {
            out.put("x-kubernetes-patch-merge-key", array.mergeKey());
            // A list that merges by a key is no atomic list, also where it is no map.
            if (array.type() == ListType.ATOMIC) {
                out.remove("x-kubernetes-list-type");
            }
        }
        return out;
    }

    private ObjectNode scalar(Scalar scalar) {
        ObjectNode out = switch (scalar.type()) {
            case STRING -> typed("string", "");
            case BOOLEAN -> typed("boolean", "");
            case INT32 -> typed("integer", "int32");
            case INT64 -> typed("integer", "int64");
            case DOUBLE -> typed("number", "double");
            case BYTES -> typed("string", "byte");
            case QUANTITY -> named(QUANTITY, scalar.type());
            case INT_OR_STRING -> named(INT_OR_STRING, scalar.type());
            case TIME -> named(META + "Time", scalar.type());
            case MICRO_TIME -> named(META + "MicroTime", scalar.type());
        };
        if (!scalar.enumeration().isEmpty()) {
            ArrayNode values = out.putArray("enum");
            scalar.enumeration().forEach(values::add);
        }
        return out;
    }

    private static ObjectNode typed(String type, String format) {
        ObjectNode out = Json.object().put("type", type);
        return format.isEmpty() ? out : out.put("format", format);
    }

    private ObjectNode named(String definition, ScalarType type) {
        all.computeIfAbsent(definition, _ -> special(type));
        return dialect.referenceBesideOthers(definition);
    }

    private ObjectNode special(ScalarType type) {
        boolean time = type == ScalarType.TIME || type == ScalarType.MICRO_TIME;
        if (time || dialect == Dialect.V2) {
            String format = type == ScalarType.INT_OR_STRING ? "int-or-string" : "";
            return typed("string", time ? "date-time" : format);
        }
        ObjectNode out = Json.object();
        boolean number = type == ScalarType.QUANTITY;
        if (!number) {
            out.put("format", "int-or-string");
        }
        ArrayNode choices = out.putArray("oneOf");
        choices.add(typed(number ? "string" : "integer", ""));
        choices.add(typed(number ? "number" : "string", ""));
        return out;
    }

    ObjectNode toJson() {
        ObjectNode out = Json.object();
        all.forEach(out::set);
        return out;
    }
}
