package io.sluice.apiserver.validation;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

import io.sluice.api.object.Json;
import io.sluice.api.object.KubeObject;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;

/** ConfigMaps and Secrets: keys, sizes, what a type of Secret must hold, what immutable means. */
public final class ConfigValidation {
    private static final int MAX_BYTES = 1024 * 1024;
    private static final Pattern KEY = Pattern.compile("[-._a-zA-Z0-9]+");
    private static final String IMMUTABLE = "field is immutable when `immutable` is set";

    private ConfigValidation() {}

    public static void validateConfigMap(ObjectNode map, FieldErrors errors) {
        long size = 0;
        for (Map.Entry<String, String> entry : KubeObject.map(map.path("data")).entrySet()) {
            String field = "data[" + entry.getKey() + ']';
            errors.invalid(field, entry.getKey(), keyProblems(entry.getKey()));
            if (map.path("binaryData").has(entry.getKey())) {
                errors.invalid(field, entry.getKey(), "duplicate of key present in binaryData");
            }
            size += MetadataValidation.utf8(entry.getValue());
        }
        size += binary(map.path("binaryData"), "binaryData", errors);
        if (size > MAX_BYTES) {
            errors.tooLong("", MAX_BYTES);
        }
    }

    private static long binary(JsonNode data, String field, FieldErrors errors) {
        long size = 0;
        for (Map.Entry<String, String> entry : KubeObject.map(data).entrySet()) {
            String path = field + '[' + entry.getKey() + ']';
            errors.invalid(path, entry.getKey(), keyProblems(entry.getKey()));
            size += decodedSize(entry.getValue());
        }
        return size;
    }

    private static long decodedSize(String base64) {
        int padding = base64.endsWith("==") ? 2 : base64.endsWith("=") ? 1 : 0;
        return base64.length() / 4 * 3L - padding;
    }

    static List<String> keyProblems(String key) {
        List<String> out = new ArrayList<>();
        if (key.length() > 253) {
            out.add("must be no more than 253 characters");
        }
        if (!KEY.matcher(key).matches()) {
            out.add(
                    "a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. 'key.name',  or"
                            + " 'KEY_NAME',  or 'key-name', regex used for validation is '[-._a-zA-Z0-9]+')");
        }
        if (key.equals(".")) {
            out.add("must not be '.'");
        } else if (key.startsWith("..")) {
            out.add("must not start with '..'");
        }
        return out;
    }

    public static void validateConfigMapUpdate(ObjectNode now, ObjectNode old, FieldErrors errors) {
        frozen(now, old, List.of("data", "binaryData"), errors);
    }

    private static void frozen(
            ObjectNode now, ObjectNode old, List<String> fields, FieldErrors errors) {
        if (!old.path("immutable").asBoolean()) {
            return;
        }
        if (!now.path("immutable").asBoolean()) {
            errors.forbidden("immutable", IMMUTABLE);
        }
        for (String field : fields) {
            if (!Same.same(now.path(field), old.path(field))) {
                errors.forbidden(field, IMMUTABLE);
            }
        }
    }

    public static void validateSecret(ObjectNode secret, FieldErrors errors) {
        JsonNode data = secret.path("data");
        if (binary(data, "data", errors) > MAX_BYTES) {
            errors.tooLong("data", MAX_BYTES);
        }
        switch (KubeObject.text(secret, "type")) {
            case "kubernetes.io/service-account-token" -> {
                JsonNode notes = secret.path("metadata").path("annotations");
                if (KubeObject.text(notes, "kubernetes.io/service-account.name").isEmpty()) {
                    errors.required("metadata.annotations[kubernetes.io/service-account.name]", "");
                }
            }
            case "kubernetes.io/dockercfg" -> jsonKey(data, ".dockercfg", errors);
            case "kubernetes.io/dockerconfigjson" -> jsonKey(data, ".dockerconfigjson", errors);
            case "kubernetes.io/basic-auth" -> {
                if (!data.has("username") && !data.has("password")) {
                    errors.required("data[username]", "");
                    errors.required("data[password]", "");
                }
            }
            case "kubernetes.io/ssh-auth" -> key(data, "ssh-privatekey", errors);
            case "kubernetes.io/tls" -> {
                key(data, "tls.crt", errors);
                key(data, "tls.key", errors);
            }
            default -> {}
        }
    }

    private static void key(JsonNode data, String key, FieldErrors errors) {
        if (!data.has(key)) {
            errors.required("data[" + key + ']', "");
        }
    }

    private static void jsonKey(JsonNode data, String key, FieldErrors errors) {
        if (!data.has(key)) {
            errors.required("data[" + key + ']', "");
            return;
        }
        String text = new String(
                Base64.getDecoder().decode(data.path(key).asText()), StandardCharsets.UTF_8);
        try {
            Json.MAPPER.readTree(text);
        } catch (JsonProcessingException e) {
            errors.invalid("data[" + key + ']', "<secret contents redacted>", "is no JSON");
        }
    }

    public static void validateSecretUpdate(ObjectNode now, ObjectNode old, FieldErrors errors) {
        errors.immutable("type", now.path("type"), old.path("type"));
        frozen(now, old, List.of("data"), errors);
    }
}
