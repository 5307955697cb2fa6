package io.sluice.apiserver.rest;

import io.sluice.apiserver.registry.Statuses;

import java.util.List;

/** Parameters of a write. */
public record WriteOptions(boolean dryRun, FieldValidation fieldValidation) {

    /** What happens to unknown and duplicate fields. */
    public enum FieldValidation {
        IGNORE,
        WARN,
        STRICT
    }

    /** @throws io.sluice.apiserver.registry.ApiException 400 for values the API does not know */
    public static WriteOptions of(Query query) {
        return new WriteOptions(
                dryRun(query.values().getOrDefault("dryRun", List.of())),
                fieldValidation(query.text("fieldValidation")));
    }

    static boolean dryRun(List<String> values) {
        for (String value : values) {
            if (!value.equals("All")) {
                throw Statuses.badRequest(
                        "dryRun: Unsupported value: \"" + value + "\": supported values: \"All\"");
            }
        }
        return !values.isEmpty();
    }

    private static FieldValidation fieldValidation(String text) {
        return switch (text) {
            case "", "Warn" -> FieldValidation.WARN;
            case "Strict" -> FieldValidation.STRICT;
            case "Ignore" -> FieldValidation.IGNORE;
            default ->
                throw Statuses.badRequest("fieldValidation: Unsupported value: \"" + text
                        + "\": supported values: \"Ignore\", \"Strict\", \"Warn\"");
        };
    }
}
