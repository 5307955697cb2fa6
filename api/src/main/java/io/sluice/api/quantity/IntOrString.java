package io.sluice.api.quantity;

import com.fasterxml.jackson.databind.JsonNode;

import java.util.Optional;

/** A number or a name, as target ports are. */
public sealed interface IntOrString {

    record Int(int value) implements IntOrString {
        @Override
        public String toString() {
            return Integer.toString(value);
        }
    }

    record Text(String value) implements IntOrString {
        @Override
        public String toString() {
            return value;
        }
    }

    /** Empty where the node is neither a text nor a whole number of 32 bits. */
    static Optional<IntOrString> of(JsonNode node) {
        if (node.isTextual()) {
            return Optional.of(new Text(node.textValue()));
        }
        return node.isIntegralNumber() && node.canConvertToInt()
                ? Optional.of(new Int(node.intValue()))
                : Optional.empty();
    }
}
