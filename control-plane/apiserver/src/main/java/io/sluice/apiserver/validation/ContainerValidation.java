package io.sluice.apiserver.validation;

import com.fasterxml.jackson.databind.JsonNode;

import io.sluice.api.meta.Names;
import io.sluice.api.object.KubeObject;
import io.sluice.api.quantity.Quantity;

import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;

/** Containers of a pod: init, normal and ephemeral ones. */
final class ContainerValidation {
    private static final List<String> PULL_POLICIES = List.of("Always", "IfNotPresent", "Never");
    private static final List<String> MESSAGE_POLICIES = List.of("FallbackToLogsOnError", "File");
    private static final List<String> HANDLERS =
            List.of("exec", "httpGet", "tcpSocket", "grpc", "sleep");
    /** Printable ASCII but the equals sign, since Kubernetes 1.34. */
    private static final Pattern ENV_NAME = Pattern.compile("[ -<>-~]+");

    private final Set<String> volumes;
    private final FieldErrors errors;
    private final Set<String> names = new HashSet<>();
    private final Set<String> hostPorts = new HashSet<>();

    private ContainerValidation(Set<String> volumes, FieldErrors errors) {
        this.volumes = volumes;
        this.errors = errors;
    }

    static void validateAll(JsonNode spec, Set<String> volumes, FieldErrors errors) {
        if (spec.path("containers").isEmpty()) {
            errors.required("spec.containers", "");
        }
        ContainerValidation check = new ContainerValidation(volumes, errors);
        for (String list : List.of("containers", "initContainers", "ephemeralContainers")) {
            JsonNode containers = spec.path(list);
            for (int i = 0; i < containers.size(); i++) {
                check.container(containers.get(i), "spec." + list + '[' + i + ']');
            }
        }
    }

    private void container(JsonNode container, String field) {
        String name = KubeObject.text(container, "name");
        if (name.isEmpty()) {
            errors.required(field + ".name", "");
        } else {
            errors.invalid(field + ".name", name, Names.dnsLabel(name));
        }
        if (!name.isEmpty() && !names.add(name)) {
            errors.duplicate(field + ".name", name);
        }
        image(KubeObject.text(container, "image"), field + ".image");
        oneOf(container, "imagePullPolicy", PULL_POLICIES, field);
        oneOf(container, "terminationMessagePolicy", MESSAGE_POLICIES, field);
        ports(container.path("ports"), field);
        env(container.path("env"), field + ".env");
        mounts(container.path("volumeMounts"), field + ".volumeMounts");
        resources(container.path("resources"), field + ".resources");
        for (String probe : List.of("livenessProbe", "readinessProbe", "startupProbe")) {
            probe(container.path(probe), !probe.startsWith("readiness"), field + '.' + probe);
        }
        for (String hook : List.of("postStart", "preStop")) {
            JsonNode handler = container.path("lifecycle").path(hook);
            if (!handler.isMissingNode()) {
                handler(handler, field + ".lifecycle." + hook);
            }
        }
    }

    private void image(String image, String field) {
        if (image.isEmpty()) {
            errors.required(field, "");
        } else if (!image.strip().equals(image)) {
            errors.invalid(field, image, "must not have leading or trailing whitespace");
        }
    }

    private void oneOf(JsonNode container, String name, List<String> known, String field) {
        String value = KubeObject.text(container, name);
        if (value.isEmpty()) {
            errors.required(field + '.' + name, "");
        } else if (!known.contains(value)) {
            errors.notSupported(field + '.' + name, value, known);
        }
    }

    private void ports(JsonNode ports, String container) {
        Set<String> portNames = new HashSet<>();
        for (int i = 0; i < ports.size(); i++) {
            JsonNode port = ports.get(i);
            String field = container + ".ports[" + i + ']';
            String name = KubeObject.text(port, "name");
            if (!name.isEmpty()) {
                errors.invalid(field + ".name", name, Ports.nameProblems(name));
                if (!portNames.add(name)) {
                    errors.duplicate(field + ".name", name);
                }
            }
            if (port.path("containerPort").asInt() == 0) {
                errors.required(field + ".containerPort", "");
            } else {
                Ports.number(field + ".containerPort", port.path("containerPort"), errors);
            }
            String protocol = KubeObject.text(port, "protocol");
            Ports.protocol(field + ".protocol", protocol, errors);
            JsonNode host = port.path("hostPort");
            if (host.asInt() != 0) {
                Ports.number(field + ".hostPort", host, errors);
                String key = protocol + '/' + KubeObject.text(port, "hostIP") + '/' + host.asInt();
                if (!container.contains("initContainers") && !hostPorts.add(key)) {
                    errors.duplicate(field + ".hostPort", key);
                }
            }
        }
    }

    private void env(JsonNode env, String path) {
        for (int i = 0; i < env.size(); i++) {
            String field = path + '[' + i + ']';
            String name = KubeObject.text(env.get(i), "name");
            if (name.isEmpty()) {
                errors.required(field + ".name", "");
            } else if (!ENV_NAME.matcher(name).matches()) {
                errors.invalid(
                        field + ".name",
                        name,
                        "a valid environment variable name must consist only of printable ASCII characters other than '='");
            }
            JsonNode from = env.get(i).path("valueFrom");
            if (!from.isMissingNode() && from.size() != 1) {
                errors.invalid(
                        field + ".valueFrom",
                        "",
                        from.isEmpty()
                                ? "must specify one of: `fieldRef`, `resourceFieldRef`, `configMapKeyRef` or `secretKeyRef`"
                                : "may not have more than one field specified at a time");
            } else if (!from.isMissingNode()
                    && !KubeObject.text(env.get(i), "value").isEmpty()) {
                errors.invalid(
                        field + ".valueFrom", "", "may not be specified when `value` is not empty");
            }
        }
    }

    private void mounts(JsonNode mounts, String path) {
        Set<String> paths = new HashSet<>();
        for (int i = 0; i < mounts.size(); i++) {
            String field = path + '[' + i + ']';
            String name = KubeObject.text(mounts.get(i), "name");
            String mountPath = KubeObject.text(mounts.get(i), "mountPath");
            if (name.isEmpty()) {
                errors.required(field + ".name", "");
            } else if (!volumes.contains(name)) {
                errors.notFound(field + ".name", name);
            }
            if (mountPath.isEmpty()) {
                errors.required(field + ".mountPath", "");
            }
            if (!paths.add(mountPath)) {
                errors.invalid(field + ".mountPath", mountPath, "must be unique");
            }
            String sub = KubeObject.text(mounts.get(i), "subPath");
            if (sub.startsWith("/")) {
                errors.invalid(field + ".subPath", sub, "must be a relative path");
            }
            if (List.of(sub.split("/")).contains("..")) {
                errors.invalid(field + ".subPath", sub, "must not contain '..'");
            }
        }
    }

    private void resources(JsonNode resources, String path) {
        JsonNode limits = resources.path("limits");
        JsonNode requests = resources.path("requests");
        for (String list : List.of("limits", "requests")) {
            for (Map.Entry<String, JsonNode> entry : resources.path(list).properties()) {
                String field = path + '.' + list + '[' + entry.getKey() + ']';
                errors.invalid(field, entry.getKey(), Names.qualifiedName(entry.getKey()));
                if (amount(entry.getValue())
                        .filter(q -> q.amount().signum() < 0)
                        .isPresent()) {
                    errors.invalid(field, entry.getValue(), "must be greater than or equal to 0");
                }
            }
        }
        for (Map.Entry<String, JsonNode> entry : requests.properties()) {
            Optional<Quantity> limit = amount(limits.path(entry.getKey()));
            Optional<Quantity> request = amount(entry.getValue());
            if (limit.isPresent()
                    && request.isPresent()
                    && request.get().compareTo(limit.get()) > 0) {
                errors.invalid(
                        path + ".requests",
                        entry.getValue(),
                        "must be less than or equal to " + entry.getKey() + " limit of "
                                + limit.get());
            }
        }
    }

    private static Optional<Quantity> amount(JsonNode node) {
        return node.isMissingNode() ? Optional.empty() : Quantity.parse(node.asText());
    }

    /** @param once success counts the first time: liveness and start-up probes */
    private void probe(JsonNode probe, boolean once, String field) {
        if (probe.isMissingNode()) {
            return;
        }
        handler(probe, field);
        for (String number : List.of(
                "initialDelaySeconds",
                "timeoutSeconds",
                "periodSeconds",
                "successThreshold",
                "failureThreshold")) {
            if (probe.path(number).asInt() < 0) {
                errors.invalid(
                        field + '.' + number,
                        probe.path(number),
                        "must be greater than or equal to 0");
            }
        }
        if (once && probe.path("successThreshold").asInt(1) != 1) {
            errors.invalid(
                    field + ".successThreshold", probe.path("successThreshold"), "must be 1");
        }
    }

    private void handler(JsonNode holder, String field) {
        List<String> given = HANDLERS.stream().filter(holder::has).toList();
        if (given.isEmpty()) {
            errors.required(field, "must specify a handler type");
            return;
        }
        for (String extra : given.subList(1, given.size())) {
            errors.forbidden(field + '.' + extra, "may not specify more than 1 handler type");
        }
        String kind = given.getFirst();
        JsonNode handler = holder.path(kind);
        if (kind.equals("exec") && handler.path("command").isEmpty()) {
            errors.required(field + ".exec.command", "");
        } else if (kind.equals("httpGet") || kind.equals("tcpSocket")) {
            Ports.numberOrName(field + '.' + kind + ".port", handler.path("port"), errors);
        } else if (kind.equals("grpc")) {
            Ports.number(field + ".grpc.port", handler.path("port"), errors);
        }
    }
}
