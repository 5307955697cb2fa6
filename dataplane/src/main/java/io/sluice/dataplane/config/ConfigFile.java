package io.sluice.dataplane.config;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

import io.sluice.api.object.Json;
import io.sluice.api.object.KubeObject;
import io.sluice.api.object.Yaml;
import io.sluice.api.object.YamlException;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * Reads KubeProxyConfiguration: what is known is taken, what is not is reported and left out, as
 * kube-proxy's second try does.
 */
final class ConfigFile {
    static final String API_VERSION = "kubeproxy.config.k8s.io/v1alpha1";
    static final String KIND = "KubeProxyConfiguration";

    private ConfigFile() {}

    /** All defaults. */
    static ObjectNode defaults() throws ConfigException {
        ObjectNode out = Json.object().put("apiVersion", API_VERSION).put("kind", KIND);
        for (ConfigField field : ConfigField.ALL) {
            set(out, field.path(), field.fromText(field.path(), field.defaultText()));
        }
        return out;
    }

    /** Puts the file's values over the given ones. @return warnings, one per value that was not taken */
    static List<String> read(String text, String name, ObjectNode into) throws ConfigException {
        List<String> warnings = new ArrayList<>();
        ObjectNode file;
        try {
            file = Yaml.parseObject(
                    text,
                    path -> warnings.add(
                            name + ": field \"" + path + "\" is given twice; the last counts"));
        } catch (YamlException e) {
            throw new ConfigException(name + ": " + e.getMessage());
        }
        String apiVersion = KubeObject.text(file, "apiVersion");
        String kind = KubeObject.text(file, "kind");
        if (!apiVersion.equals(API_VERSION) || !kind.equals(KIND)) {
            throw new ConfigException(name + ": expected apiVersion " + API_VERSION + " and kind "
                    + KIND + ", found \"" + apiVersion + "\" and \"" + kind + '"');
        }
        for (Map.Entry<String, JsonNode> entry : file.properties()) {
            if (!entry.getKey().equals("apiVersion") && !entry.getKey().equals("kind")) {
                merge(name, entry.getKey(), entry.getValue(), into, warnings);
            }
        }
        return warnings;
    }

    private static void merge(
            String name, String path, JsonNode value, ObjectNode into, List<String> warnings)
            throws ConfigException {
        var field = ConfigField.find(path);
        if (field.isPresent()) {
            if (value.isNull()) {
                return;
            }
            if (!field.get().accepts(value)) {
                throw new ConfigException(name + ": " + path + ": " + value + " is not "
                        + field.get().expected());
            }
            if (!field.get().isUnset(value)) {
                set(into, path, value);
            }
        } else if (value instanceof ObjectNode section && ConfigField.isSection(path)) {
            for (Map.Entry<String, JsonNode> entry : section.properties()) {
                merge(name, path + '.' + entry.getKey(), entry.getValue(), into, warnings);
            }
        } else if (!value.isNull() || !ConfigField.isSection(path)) {
            warnings.add(name + ": unknown field \"" + path + "\" is ignored");
        }
    }

    static void set(ObjectNode root, String path, JsonNode value) {
        int dot = path.indexOf('.');
        if (dot < 0) {
            root.set(path, value);
        } else {
            set(KubeObject.child(root, path.substring(0, dot)), path.substring(dot + 1), value);
        }
    }

    static JsonNode get(ObjectNode root, String path) {
        JsonNode node = root;
        for (String step : path.split("\\.")) {
            node = node.path(step);
        }
        return node;
    }
}
