package io.sluice.apiserver.validation;

import com.fasterxml.jackson.databind.JsonNode;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/** Port numbers, port names and protocols. */
final class Ports {
    static final List<String> PROTOCOLS = List.of("SCTP", "TCP", "UDP");
    static final String RANGE = "must be between 1 and 65535, inclusive";
    private static final Pattern NAME = Pattern.compile("[-a-z0-9]+");

    private Ports() {}

    static boolean inRange(JsonNode port) {
        return port.isInt() && port.intValue() >= 1 && port.intValue() <= 65535;
    }

    static void number(String field, JsonNode port, FieldErrors errors) {
        if (!inRange(port)) {
            errors.invalid(field, port, RANGE);
        }
    }

    static void numberOrName(String field, JsonNode port, FieldErrors errors) {
        if (port.isTextual()) {
            errors.invalid(field, port.textValue(), nameProblems(port.textValue()));
        } else {
            number(field, port, errors);
        }
    }

    static void protocol(String field, String protocol, FieldErrors errors) {
        if (protocol.isEmpty()) {
            errors.required(field, "");
        } else if (!PROTOCOLS.contains(protocol)) {
            errors.notSupported(field, protocol, PROTOCOLS);
        }
    }

    /** IANA service names: at most 15 of {@code a-z0-9-}, with a letter. */
    static List<String> nameProblems(String name) {
        List<String> out = new ArrayList<>();
        if (name.length() > 15) {
            out.add("must be no more than 15 characters");
        }
        if (!NAME.matcher(name).matches()) {
            out.add("must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)");
        }
        if (name.chars().noneMatch(c -> c >= 'a' && c <= 'z')) {
            out.add("must contain at least one letter (a-z)");
        }
        if (name.contains("--")) {
            out.add("must not contain consecutive hyphens");
        }
        if (name.startsWith("-") || name.endsWith("-")) {
            out.add("must not begin or end with a hyphen");
        }
        return out;
    }
}
