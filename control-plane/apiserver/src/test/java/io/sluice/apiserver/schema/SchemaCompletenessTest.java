package io.sluice.apiserver.schema;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.Descriptors.Descriptor;
import com.google.protobuf.Descriptors.FieldDescriptor;

import io.kubernetes.client.proto.Meta;
import io.kubernetes.client.proto.V1;
import io.kubernetes.client.proto.V1Coordination;
import io.kubernetes.client.proto.V1Discovery;
import io.kubernetes.client.proto.V1Events;
import io.kubernetes.client.proto.V1Networking;
import io.sluice.apiserver.schema.Schema.Array;
import io.sluice.apiserver.schema.Schema.Dictionary;
import io.sluice.apiserver.schema.Schema.Scalar;
import io.sluice.apiserver.schema.Schema.Struct;

import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/** The tables have every field of the API's protobuf descriptors, with its type, and no other. */
final class SchemaCompletenessTest {
    /** Go embeds these: their fields belong to the message around them in JSON. */
    private static final Set<String> INLINE = Set.of(
            "Volume.volumeSource",
            "Probe.handler",
            "EphemeralContainer.ephemeralContainerCommon",
            "ConfigMapKeySelector.localObjectReference",
            "SecretKeySelector.localObjectReference",
            "ConfigMapEnvSource.localObjectReference",
            "SecretEnvSource.localObjectReference",
            "ConfigMapProjection.localObjectReference",
            "SecretProjection.localObjectReference",
            "ConfigMapVolumeSource.localObjectReference");

    /** Served as JSON only under another rule: type meta is an envelope in protobuf. */
    private static final Set<String> TYPE_META = Set.of("apiVersion", "kind");

    private final Set<String> seen = new HashSet<>();
    private final List<String> differences = new ArrayList<>();

    @Test
    void everyFieldOfEveryKind() {
        Map<Descriptor, Struct> roots = new LinkedHashMap<>();
        for (String kind : List.of(
                "Namespace",
                "Node",
                "Service",
                "Endpoints",
                "Pod",
                "ConfigMap",
                "Secret",
                "Event",
                "ServiceAccount",
                "Binding")) {
            roots.put(V1.getDescriptor().findMessageTypeByName(kind), struct("core-v1", kind));
        }
        roots.put(
                V1Discovery.getDescriptor().findMessageTypeByName("EndpointSlice"),
                struct("discovery-v1", "EndpointSlice"));
        roots.put(
                V1Events.getDescriptor().findMessageTypeByName("Event"),
                struct("events-v1", "Event"));
        roots.put(
                V1Coordination.getDescriptor().findMessageTypeByName("Lease"),
                struct("coordination-v1", "Lease"));
        roots.put(
                V1Networking.getDescriptor().findMessageTypeByName("ServiceCIDR"),
                struct("networking-v1", "ServiceCIDR"));
        for (String type : List.of("ListMeta", "Status", "DeleteOptions")) {
            roots.put(Meta.getDescriptor().findMessageTypeByName(type), struct("meta-v1", type));
        }
        roots.forEach(this::compare);
        assertThat(differences).isEmpty();
        assertThat(seen.size()).isGreaterThan(180);
    }

    private static Struct struct(String table, String type) {
        return SchemaLibrary.shared().struct(table, type);
    }

    private void compare(Descriptor message, Struct struct) {
        if (!seen.add(struct.definition())) {
            return;
        }
        Map<String, FieldDescriptor> fields = new LinkedHashMap<>();
        collect(message, fields);
        Set<String> ours = new TreeSet<>(struct.fields().keySet());
        if (!fields.keySet().containsAll(TYPE_META)) {
            TYPE_META.stream().filter(name -> !fields.containsKey(name)).forEach(ours::remove);
        }
        Set<String> missing = new TreeSet<>(fields.keySet());
        missing.removeAll(ours);
        ours.removeAll(fields.keySet());
        if (!missing.isEmpty() || !ours.isEmpty()) {
            differences.add(struct.definition() + ": missing " + missing + ", too many " + ours);
        }
        fields.forEach((name, field) -> {
            Schema.Field ourField = struct.fields().get(name);
            if (ourField != null) {
                type(field, ourField.schema(), struct.definition() + '.' + name);
            }
        });
    }

    private static void collect(Descriptor message, Map<String, FieldDescriptor> out) {
        for (FieldDescriptor field : message.getFields()) {
            if (INLINE.contains(message.getName() + '.' + field.getName())) {
                collect(field.getMessageType(), out);
            } else {
                out.put(field.getName(), field);
            }
        }
    }

    private void type(FieldDescriptor field, Schema schema, String at) {
        if (field.isMapField()) {
            FieldDescriptor value = field.getMessageType().findFieldByName("value");
            if (schema instanceof Dictionary map) {
                single(value, map.values(), at);
            } else {
                differences.add(at + " should be a map");
            }
        } else if (field.isRepeated()) {
            if (schema instanceof Array array) {
                single(field, array.items(), at);
            } else {
                differences.add(at + " should be a list");
            }
        } else {
            single(field, schema, at);
        }
    }

    private void single(FieldDescriptor field, Schema schema, String at) {
        String expected = switch (field.getJavaType()) {
            case INT -> "INT32";
            case LONG -> "INT64";
            case BOOLEAN -> "BOOLEAN";
            case STRING -> "STRING";
            case BYTE_STRING -> "BYTES";
            case DOUBLE, FLOAT -> "DOUBLE";
            case ENUM -> "ENUM";
            case MESSAGE ->
                switch (field.getMessageType().getName()) {
                    case "Time" -> "TIME";
                    case "MicroTime" -> "MICRO_TIME";
                    case "Quantity" -> "QUANTITY";
                    case "IntOrString" -> "INT_OR_STRING";
                    case "FieldsV1" -> "any";
                    default -> field.getMessageType().getName();
                };
        };
        String found = switch (schema) {
            case Scalar scalar -> scalar.type().toString();
            case Struct struct -> struct.name();
            case Schema.Any _ -> "any";
            case Array _, Dictionary _ -> "collection";
        };
        if (!expected.equals(found)) {
            differences.add(at + " should be " + expected + ", is " + found);
        } else if (schema instanceof Struct struct) {
            compare(field.getMessageType(), struct);
        }
    }
}
