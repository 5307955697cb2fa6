package io.sluice.api.selector;

import com.fasterxml.jackson.databind.JsonNode;

import io.sluice.api.object.KubeObject;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** Terms that must all hold; without any it matches everything. */
public record LabelSelector(List<Requirement> requirements) {
    public static final LabelSelector EVERYTHING = new LabelSelector(List.of());

    /** Parses the text form, as in the {@code labelSelector} parameter. */
    public static LabelSelector parse(String text) throws SelectorException {
        return LabelSelectorParser.parse(text);
    }

    /**
     * From the object form with {@code matchLabels} and {@code matchExpressions}; a missing node matches nothing, by the API's
     * convention, so callers must ask before.
     */
    public static LabelSelector of(JsonNode node) throws SelectorException {
        List<Requirement> out = new ArrayList<>();
        for (Map.Entry<String, String> entry :
                KubeObject.map(node.path("matchLabels")).entrySet()) {
            out.add(new Requirement(
                    entry.getKey(), Requirement.Operator.IN, List.of(entry.getValue())));
        }
        for (JsonNode term : node.path("matchExpressions")) {
            List<String> values = new ArrayList<>();
            term.path("values").forEach(value -> values.add(value.asText()));
            out.add(LabelSelectorParser.checked(
                    KubeObject.text(term, "key"), operator(term), values));
        }
        return new LabelSelector(List.copyOf(out));
    }

    private static Requirement.Operator operator(JsonNode term) throws SelectorException {
        String text = KubeObject.text(term, "operator");
        return switch (text) {
            case "In" -> Requirement.Operator.IN;
            case "NotIn" -> Requirement.Operator.NOT_IN;
            case "Exists" -> Requirement.Operator.EXISTS;
            case "DoesNotExist" -> Requirement.Operator.DOES_NOT_EXIST;
            case "Gt" -> Requirement.Operator.GREATER_THAN;
            case "Lt" -> Requirement.Operator.LESS_THAN;
            default ->
                throw new SelectorException(
                        "\"" + text + "\" is not a valid label selector operator");
        };
    }

    public boolean isEverything() {
        return requirements.isEmpty();
    }

    public boolean matches(Map<String, String> labels) {
        for (Requirement requirement : requirements) {
            if (!requirement.matches(labels)) {
                return false;
            }
        }
        return true;
    }

    @Override
    public String toString() {
        return requirements.stream().map(Requirement::toString).collect(Collectors.joining(","));
    }
}
