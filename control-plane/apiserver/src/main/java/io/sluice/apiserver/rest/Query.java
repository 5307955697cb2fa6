package io.sluice.apiserver.rest;

import io.netty.handler.codec.http.QueryStringDecoder;
import io.sluice.apiserver.registry.Statuses;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;

/** Parameters of a request. The first value of each counts, as with Kubernetes. Pure. */
public record Query(Map<String, List<String>> values) {
    private static final int MAX_PARAMETERS = 256;

    public static final Query EMPTY = new Query(Map.of());

    /** @param uri path and query as sent */
    public static Query of(String uri) {
        int mark = uri.indexOf('?');
        if (mark < 0) {
            return EMPTY;
        }
        try {
            return new Query(new QueryStringDecoder(
                            uri.substring(mark + 1), StandardCharsets.UTF_8, false, MAX_PARAMETERS)
                    .parameters());
        } catch (IllegalArgumentException e) {
            throw Statuses.badRequest("invalid query: " + e.getMessage());
        }
    }

    public String text(String name) {
        List<String> found = values.get(name);
        return found == null || found.isEmpty() ? "" : found.getFirst();
    }

    public boolean has(String name) {
        return values.containsKey(name);
    }

    /** As the API's conversion has it: absent, empty, {@code 0} and {@code false} are false, everything else is true. */
    public boolean flag(String name) {
        return has(name)
                && !text(name).equals("0")
                && !text(name).equalsIgnoreCase("false")
                && !(text(name).isEmpty() && values.get(name).isEmpty());
    }

    /** Empty where it is absent. */
    public Optional<Boolean> maybeFlag(String name) {
        return has(name) ? Optional.of(flag(name)) : Optional.empty();
    }

    /** @throws io.sluice.apiserver.registry.ApiException if the value is no number */
    public OptionalLong number(String name) {
        String text = text(name);
        if (text.isEmpty()) {
            return OptionalLong.empty();
        }
        try {
            return OptionalLong.of(Long.parseLong(text));
        } catch (NumberFormatException e) {
            throw Statuses.badRequest("invalid value \"" + text + "\" for parameter \"" + name
                    + "\": expected an integer");
        }
    }
}
