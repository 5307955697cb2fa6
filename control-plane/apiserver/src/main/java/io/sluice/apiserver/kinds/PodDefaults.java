package io.sluice.apiserver.kinds;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

import io.sluice.api.object.KubeObject;
import io.sluice.api.quantity.Quantity;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** A pod's defaults that depend on its other fields; those that don't are in the schema. Also for pod templates. Pure. */
final class PodDefaults {
    private static final List<String> CONTAINER_LISTS =
            List.of("initContainers", "containers", "ephemeralContainers");

    private PodDefaults() {}

    static void apply(ObjectNode spec) {
        boolean hostNetwork = spec.path("hostNetwork").asBoolean();
        for (String list : CONTAINER_LISTS) {
            for (JsonNode item : spec.path(list)) {
                if (item instanceof ObjectNode container) {
                    container(container, hostNetwork);
                }
            }
        }
        for (JsonNode item : spec.path("volumes")) {
            if (item instanceof ObjectNode volume && volume.size() == 1 && volume.has("name")) {
                volume.putObject("emptyDir");
            }
        }
        account(spec);
    }

    /** One name in two fields, for clients of different ages. */
    private static void account(ObjectNode spec) {
        String name = KubeObject.text(spec, "serviceAccountName");
        String older = KubeObject.text(spec, "serviceAccount");
        if (!name.isEmpty()) {
            spec.put("serviceAccount", name);
        } else if (!older.isEmpty()) {
            spec.put("serviceAccountName", older);
        }
    }

    private static void container(ObjectNode container, boolean hostNetwork) {
        if (KubeObject.text(container, "imagePullPolicy").isEmpty()) {
            boolean latest = isLatest(KubeObject.text(container, "image"));
            container.put("imagePullPolicy", latest ? "Always" : "IfNotPresent");
        }
        if (container.get("resources") instanceof ObjectNode resources) {
            requests(resources);
        }
        for (JsonNode item : container.path("ports")) {
            if (hostNetwork
                    && item instanceof ObjectNode port
                    && port.path("hostPort").asInt() == 0) {
                port.set("hostPort", port.path("containerPort"));
            }
        }
    }

    /** No tag, or the tag {@code latest}; a digest is exact. */
    static boolean isLatest(String image) {
        if (image.contains("@")) {
            return false;
        }
        int colon = image.indexOf(':', image.lastIndexOf('/') + 1);
        return colon < 0 || image.substring(colon + 1).equals("latest");
    }

    /** A limit without a request is the request too. */
    private static void requests(ObjectNode resources) {
        for (Map.Entry<String, JsonNode> limit : resources.path("limits").properties()) {
            ObjectNode requests = KubeObject.child(resources, "requests");
            if (!requests.has(limit.getKey())) {
                requests.set(limit.getKey(), limit.getValue());
            }
        }
    }

    static String qosClass(ObjectNode pod) {
        List<JsonNode> containers = new ArrayList<>();
        pod.path("spec").path("containers").forEach(containers::add);
        pod.path("spec").path("initContainers").forEach(containers::add);
        boolean any = false;
        boolean guaranteed = !containers.isEmpty();
        for (JsonNode container : containers) {
            for (String resource : List.of("cpu", "memory")) {
                Optional<Quantity> limit = quantity(container, "limits", resource);
                Optional<Quantity> request = quantity(container, "requests", resource);
                any |= limit.isPresent() || request.isPresent();
                guaranteed &= limit.isPresent()
                        && request.map(q -> q.compareTo(limit.get()) == 0).orElse(true);
            }
        }
        return guaranteed ? "Guaranteed" : any ? "Burstable" : "BestEffort";
    }

    private static Optional<Quantity> quantity(JsonNode container, String list, String resource) {
        JsonNode value = container.path("resources").path(list).path(resource);
        return value.isMissingNode()
                ? Optional.empty()
                : Quantity.parse(value.asText()).filter(q -> q.amount().signum() > 0);
    }
}
