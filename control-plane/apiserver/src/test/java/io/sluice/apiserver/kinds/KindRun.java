package io.sluice.apiserver.kinds;

import com.fasterxml.jackson.databind.node.ObjectNode;

import io.sluice.api.net.Cidr;
import io.sluice.api.object.Json;
import io.sluice.api.object.Yaml;
import io.sluice.apiserver.allocator.ServiceAllocator;
import io.sluice.apiserver.registry.ApiException;
import io.sluice.apiserver.registry.FieldError;
import io.sluice.apiserver.registry.Kind;
import io.sluice.apiserver.registry.Statuses;
import io.sluice.apiserver.registry.Strategy;
import io.sluice.apiserver.schema.DecodeException;
import io.sluice.apiserver.schema.ObjectCodec;
import io.sluice.apiserver.schema.Schema.Struct;
import io.sluice.apiserver.schema.SchemaDefaults;

import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Random;

/** Runs objects through what the server does with them, without a server: decode, default, prepare, validate, reserve. */
public final class KindRun {
    private final List<Kind> kinds;

    public KindRun(ServiceAllocator allocator) {
        this.kinds = BuiltinKinds.all(allocator);
    }

    public static KindRun singleStack() {
        return new KindRun(allocator("10.96.0.0/16"));
    }

    public static KindRun dualStack() {
        return new KindRun(allocator("10.96.0.0/16", "fd00:10:96::/112"));
    }

    public static ServiceAllocator allocator(String... ranges) {
        return new ServiceAllocator(
                Arrays.stream(ranges).map(Cidr::of).toList(), 30000, 32767, new Random(7));
    }

    public Kind kind(ObjectNode object) {
        return kinds.stream()
                .filter(kind -> kind.gvk().kind().equals(object.path("kind").asText())
                        && kind.gvk()
                                .apiVersion()
                                .equals(object.path("apiVersion").asText()))
                .findFirst()
                .orElseThrow(() -> new AssertionError("no kind of " + object));
    }

    public static ObjectNode yaml(String text) {
        try {
            return Yaml.parseObject(text);
        } catch (IOException e) {
            throw new AssertionError(text, e);
        }
    }

    private ObjectNode decoded(ObjectNode object, Struct schema) {
        try {
            return ObjectCodec.decodeJson(Json.bytes(object), schema).object();
        } catch (DecodeException e) {
            throw new AssertionError(object.toString(), e);
        }
    }

    /** As it would be stored. */
    public ObjectNode create(String yaml) {
        return create(yaml(yaml)).object();
    }

    public Created create(ObjectNode input) {
        Kind kind = kind(input);
        Struct schema = (Struct) kind.schema();
        ObjectNode object = decoded(input, schema);
        SchemaDefaults.apply(object, schema);
        kind.strategy().prepareForCreate(object);
        refuse(kind, object, kind.strategy().validate(object));
        return new Created(object, kind.strategy().reserve(object, null, false));
    }

    /** A stored object and its reservation, which the caller keeps or closes. */
    public record Created(ObjectNode object, Strategy.Reservation reservation) {}

    public ObjectNode update(ObjectNode input, ObjectNode old) {
        Created updated = updateOnly(input, old);
        updated.reservation().keep();
        return updated.object();
    }

    public Created updateOnly(ObjectNode input, ObjectNode old) {
        Kind kind = kind(input);
        Struct schema = (Struct) kind.schema();
        ObjectNode object = decoded(input, schema);
        SchemaDefaults.apply(object, schema);
        kind.strategy().prepareForUpdate(object, old);
        refuse(kind, object, kind.strategy().validate(object));
        refuse(kind, object, kind.strategy().validateUpdate(object, old));
        return new Created(object, kind.strategy().reserve(object, old, false));
    }

    public void delete(ObjectNode object) {
        kind(object).strategy().release(object);
    }

    private static void refuse(Kind kind, ObjectNode object, List<FieldError> errors) {
        if (!errors.isEmpty()) {
            throw Statuses.invalid(
                    kind.gvk(), object.path("metadata").path("name").asText(), errors);
        }
    }

    /** The message of the refusal; empty where there is none. */
    public Optional<String> refusal(Runnable action) {
        try {
            action.run();
            return Optional.empty();
        } catch (ApiException e) {
            return Optional.of(e.getMessage());
        }
    }
}
