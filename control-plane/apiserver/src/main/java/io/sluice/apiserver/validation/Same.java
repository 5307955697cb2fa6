package io.sluice.apiserver.validation;

import com.fasterxml.jackson.databind.JsonNode;

import java.util.HashSet;
import java.util.Set;

/** Equality as the API means it: an absent field equals an empty one. */
public final class Same {
    private Same() {}

    public static boolean same(JsonNode left, JsonNode right) {
        if (empty(left) || empty(right)) {
            return empty(left) && empty(right);
        }
        if (left.isObject() && right.isObject()) {
            return sameFields(left, right);
        }
        if (left.isArray() && right.isArray()) {
            return sameItems(left, right);
        }
        return left.equals(right) || left.isNumber() && left.asText().equals(right.asText());
    }

    private static boolean sameFields(JsonNode left, JsonNode right) {
        Set<String> names = new HashSet<>();
        left.fieldNames().forEachRemaining(names::add);
        right.fieldNames().forEachRemaining(names::add);
        return names.stream().allMatch(name -> same(left.path(name), right.path(name)));
    }

    private static boolean sameItems(JsonNode left, JsonNode right) {
        if (left.size() != right.size()) {
            return false;
        }
        for (int i = 0; i < left.size(); i++) {
            if (!same(left.get(i), right.get(i))) {
                return false;
            }
        }
        return true;
    }

    /** Absent, null, or without content. */
    public static boolean empty(JsonNode node) {
        return node.isMissingNode()
                || node.isNull()
                || node.isContainerNode() && node.isEmpty()
                || node.isTextual() && node.textValue().isEmpty();
    }
}
