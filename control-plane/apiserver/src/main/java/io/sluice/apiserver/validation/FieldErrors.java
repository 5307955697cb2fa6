package io.sluice.apiserver.validation;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;

import io.sluice.apiserver.registry.FieldError;
import io.sluice.apiserver.registry.FieldError.Type;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.stream.Collectors;

/**
 * Collects errors of one object. The detail of each begins with its type's text and the value, as {@code causes[].message} has it:
 * {@code Invalid value: "x": must be …}. Not thread-safe.
 */
public final class FieldErrors {
    private final List<FieldError> errors = new ArrayList<>();

    public void required(String field, String text) {
        add(Type.REQUIRED, field, text.isEmpty() ? "" : ": " + text);
    }

    public void invalid(String field, Object value, String text) {
        add(Type.INVALID, field, ": " + show(value) + (text.isEmpty() ? "" : ": " + text));
    }

    /** One error per text; nothing where there is none. */
    public void invalid(String field, Object value, Collection<String> texts) {
        texts.forEach(text -> invalid(field, value, text));
    }

    public void duplicate(String field, Object value) {
        add(Type.DUPLICATE, field, ": " + show(value));
    }

    public void notSupported(String field, Object value, List<String> supported) {
        String list = supported.stream()
                .sorted()
                .map(FieldErrors::show)
                .collect(Collectors.joining(", "));
        add(Type.NOT_SUPPORTED, field, ": " + show(value) + ": supported values: " + list);
    }

    public void forbidden(String field, String text) {
        add(Type.FORBIDDEN, field, ": " + text);
    }

    public void tooLong(String field, int most) {
        add(Type.TOO_LONG, field, ": may not be more than " + most + " bytes");
    }

    public void tooMany(String field, int count, int most) {
        add(Type.TOO_MANY, field, ": " + count + ": must have at most " + most + " items");
    }

    public void notFound(String field, Object value) {
        add(Type.NOT_FOUND, field, ": " + show(value));
    }

    /** The field may not differ from what it was; absent equals empty. */
    public void immutable(String field, JsonNode now, JsonNode old) {
        if (!Same.same(now, old)) {
            invalid(field, now, "field is immutable");
        }
    }

    public boolean isEmpty() {
        return errors.isEmpty();
    }

    public void addAll(List<FieldError> more) {
        errors.addAll(more);
    }

    public List<FieldError> list() {
        return List.copyOf(errors);
    }

    private void add(Type type, String field, String rest) {
        errors.add(new FieldError(type, field, type.text() + rest));
    }

    private static String show(Object value) {
        return switch (value) {
            case JsonNode node when node.isMissingNode() -> "null";
            case JsonNode node -> node.toString();
            case Number number -> number.toString();
            case Boolean bool -> bool.toString();
            default -> JsonNodeFactory.instance.textNode(value.toString()).toString();
        };
    }
}
