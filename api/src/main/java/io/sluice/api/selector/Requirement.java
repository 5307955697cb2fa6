package io.sluice.api.selector;

import java.util.List;
import java.util.Map;

/**
 * One term of a label selector.
 *
 * @param values sorted; empty for the two existence operators, one number for the two comparisons
 */
public record Requirement(String key, Operator operator, List<String> values) {

    /** The operators; {@code =} and {@code ==} are {@code IN} with one value, {@code !=} is {@code NOT_IN}. */
    public enum Operator {
        IN,
        NOT_IN,
        EXISTS,
        DOES_NOT_EXIST,
        GREATER_THAN,
        LESS_THAN
    }

    /** An absent label satisfies {@code NOT_IN} and {@code DOES_NOT_EXIST}. */
    public boolean matches(Map<String, String> labels) {
        String value = labels.get(key);
        return switch (operator) {
            case IN -> value != null && values.contains(value);
            case NOT_IN -> value == null || !values.contains(value);
            case EXISTS -> value != null;
            case DOES_NOT_EXIST -> value == null;
            case GREATER_THAN -> value != null && compare(value) > 0;
            case LESS_THAN -> value != null && compare(value) < 0;
        };
    }

    /** Sign of label value minus the requirement's number; 0, which matches nothing, where the label is no number. */
    private int compare(String value) {
        try {
            return Long.compare(Long.parseLong(value), Long.parseLong(values.getFirst()));
        } catch (NumberFormatException e) {
            return 0;
        }
    }

    /** In the selector grammar. */
    @Override
    public String toString() {
        return switch (operator) {
            case IN ->
                values.size() == 1 ? key + '=' + values.getFirst() : key + " in (" + joined() + ')';
            case NOT_IN ->
                values.size() == 1
                        ? key + "!=" + values.getFirst()
                        : key + " notin (" + joined() + ')';
            case EXISTS -> key;
            case DOES_NOT_EXIST -> '!' + key;
            case GREATER_THAN -> key + '>' + values.getFirst();
            case LESS_THAN -> key + '<' + values.getFirst();
        };
    }

    private String joined() {
        return String.join(",", values);
    }
}
