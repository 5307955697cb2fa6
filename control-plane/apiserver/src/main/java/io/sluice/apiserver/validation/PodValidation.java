package io.sluice.apiserver.validation;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

import io.sluice.api.meta.Names;
import io.sluice.api.net.IpAddress;
import io.sluice.api.object.KubeObject;

import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** {@code spec} of a Pod; its containers are in {@link ContainerValidation}. */
public final class PodValidation {
    private static final List<String> RESTART_POLICIES = List.of("Always", "Never", "OnFailure");
    private static final List<String> DNS_POLICIES =
            List.of("ClusterFirst", "ClusterFirstWithHostNet", "Default", "None");
    private static final List<String> EFFECTS =
            List.of("NoExecute", "NoSchedule", "PreferNoSchedule");
    private static final int MAX_NAMESERVERS = 3;
    private static final int MAX_SEARCHES = 32;

    private final JsonNode spec;
    private final FieldErrors errors;

    private PodValidation(JsonNode spec, FieldErrors errors) {
        this.spec = spec;
        this.errors = errors;
    }

    public static void validate(ObjectNode pod, FieldErrors errors) {
        PodValidation check = new PodValidation(pod.path("spec"), errors);
        Set<String> volumes = check.volumes();
        ContainerValidation.validateAll(pod.path("spec"), volumes, errors);
        check.policies();
        check.names();
        check.numbers();
        check.tolerations();
        check.dns();
        check.hostAliases();
        check.spread();
        MetadataValidation.labels(
                pod.path("spec").path("nodeSelector"), "spec.nodeSelector", errors);
    }

    private Set<String> volumes() {
        Set<String> names = new HashSet<>();
        JsonNode volumes = spec.path("volumes");
        for (int i = 0; i < volumes.size(); i++) {
            String field = "spec.volumes[" + i + ']';
            String name = KubeObject.text(volumes.get(i), "name");
            if (name.isEmpty()) {
                errors.required(field + ".name", "");
            } else {
                errors.invalid(field + ".name", name, Names.dnsLabel(name));
            }
            if (!names.add(name)) {
                errors.duplicate(field + ".name", name);
            }
            int sources = volumes.get(i).size() - (volumes.get(i).has("name") ? 1 : 0);
            if (sources == 0) {
                errors.required(field, "must specify a volume type");
            } else if (sources > 1) {
                errors.forbidden(field, "may not specify more than 1 volume type");
            }
        }
        return names;
    }

    private void policies() {
        oneOf("restartPolicy", RESTART_POLICIES);
        oneOf("dnsPolicy", DNS_POLICIES);
        JsonNode security = spec.path("securityContext");
        for (String id : List.of("runAsUser", "runAsGroup", "fsGroup")) {
            if (security.path(id).asLong() < 0) {
                errors.invalid(
                        "spec.securityContext." + id,
                        security.path(id),
                        "must be between 0 and 2147483647, inclusive");
            }
        }
    }

    private void oneOf(String field, List<String> known) {
        String value = KubeObject.text(spec, field);
        if (value.isEmpty()) {
            errors.required("spec." + field, "");
        } else if (!known.contains(value)) {
            errors.notSupported("spec." + field, value, known);
        }
    }

    private void names() {
        for (String field : List.of(
                "nodeName", "serviceAccountName", "priorityClassName", "runtimeClassName")) {
            String name = KubeObject.text(spec, field);
            if (!name.isEmpty()) {
                errors.invalid("spec." + field, name, Names.dnsSubdomain(name));
            }
        }
        for (String field : List.of("hostname", "subdomain")) {
            String name = KubeObject.text(spec, field);
            if (!name.isEmpty()) {
                errors.invalid("spec." + field, name, Names.dnsLabel(name));
            }
        }
        JsonNode secrets = spec.path("imagePullSecrets");
        for (int i = 0; i < secrets.size(); i++) {
            if (KubeObject.text(secrets.get(i), "name").isEmpty()) {
                errors.required("spec.imagePullSecrets[" + i + "].name", "");
            }
        }
    }

    private void numbers() {
        JsonNode grace = spec.path("terminationGracePeriodSeconds");
        if (grace.asLong() < 0) {
            errors.invalid(
                    "spec.terminationGracePeriodSeconds",
                    grace,
                    "must be greater than or equal to 0");
        }
        JsonNode deadline = spec.path("activeDeadlineSeconds");
        if (!deadline.isMissingNode()
                && (deadline.asLong() < 1 || deadline.asLong() > Integer.MAX_VALUE)) {
            errors.invalid(
                    "spec.activeDeadlineSeconds",
                    deadline,
                    "must be between 1 and 2147483647, inclusive");
        }
    }

    private void tolerations() {
        JsonNode tolerations = spec.path("tolerations");
        for (int i = 0; i < tolerations.size(); i++) {
            String field = "spec.tolerations[" + i + ']';
            JsonNode toleration = tolerations.get(i);
            String key = KubeObject.text(toleration, "key");
            String operator = KubeObject.text(toleration, "operator");
            String effect = KubeObject.text(toleration, "effect");
            if (!key.isEmpty()) {
                errors.invalid(field + ".key", key, Names.qualifiedName(key));
            } else if (!operator.equals("Exists")) {
                errors.invalid(
                        field + ".operator",
                        operator,
                        "operator must be Exists when `key` is empty, which means \"match all values and all keys\"");
            }
            if (operator.equals("Exists")
                    && !KubeObject.text(toleration, "value").isEmpty()) {
                errors.invalid(
                        field + ".operator",
                        toleration.path("value"),
                        "value must be empty when `operator` is 'Exists'");
            }
            if (!List.of("", "Equal", "Exists", "Lt", "Gt").contains(operator)) {
                errors.notSupported(
                        field + ".operator", operator, List.of("Equal", "Exists", "Gt", "Lt"));
            }
            if (!effect.isEmpty() && !EFFECTS.contains(effect)) {
                errors.notSupported(field + ".effect", effect, EFFECTS);
            }
            if (toleration.has("tolerationSeconds") && !effect.equals("NoExecute")) {
                errors.invalid(
                        field + ".effect",
                        effect,
                        "effect must be 'NoExecute' when `tolerationSeconds` is set");
            }
        }
    }

    private void dns() {
        JsonNode config = spec.path("dnsConfig");
        JsonNode servers = config.path("nameservers");
        if (KubeObject.text(spec, "dnsPolicy").equals("None") && servers.isEmpty()) {
            errors.required(
                    "spec.dnsConfig.nameservers",
                    "must provide at least one DNS nameserver when `dnsPolicy` is None");
        }
        if (servers.size() > MAX_NAMESERVERS) {
            errors.invalid(
                    "spec.dnsConfig.nameservers", servers, "must not have more than 3 nameservers");
        }
        for (int i = 0; i < servers.size(); i++) {
            ip("spec.dnsConfig.nameservers[" + i + ']', servers.get(i).asText());
        }
        if (config.path("searches").size() > MAX_SEARCHES) {
            errors.invalid(
                    "spec.dnsConfig.searches",
                    config.path("searches"),
                    "must not have more than 32 search paths");
        }
        JsonNode options = config.path("options");
        for (int i = 0; i < options.size(); i++) {
            if (KubeObject.text(options.get(i), "name").isEmpty()) {
                errors.required("spec.dnsConfig.options[" + i + ']', "must not be empty");
            }
        }
    }

    private void ip(String field, String text) {
        if (IpAddress.parse(text).isEmpty()) {
            errors.invalid(field, text, Addresses.NOT_AN_IP);
        }
    }

    private void hostAliases() {
        JsonNode aliases = spec.path("hostAliases");
        for (int i = 0; i < aliases.size(); i++) {
            String field = "spec.hostAliases[" + i + ']';
            ip(field + ".ip", KubeObject.text(aliases.get(i), "ip"));
            for (JsonNode name : aliases.get(i).path("hostnames")) {
                errors.invalid(
                        field + ".hostnames", name.asText(), Names.dnsSubdomain(name.asText()));
            }
        }
    }

    private void spread() {
        JsonNode constraints = spec.path("topologySpreadConstraints");
        List<String> actions = List.of("DoNotSchedule", "ScheduleAnyway");
        for (int i = 0; i < constraints.size(); i++) {
            String field = "spec.topologySpreadConstraints[" + i + ']';
            JsonNode constraint = constraints.get(i);
            if (constraint.path("maxSkew").asInt() <= 0) {
                errors.invalid(
                        field + ".maxSkew",
                        constraint.path("maxSkew"),
                        "must be greater than zero");
            }
            if (KubeObject.text(constraint, "topologyKey").isEmpty()) {
                errors.required(field + ".topologyKey", "can not be empty");
            }
            String action = KubeObject.text(constraint, "whenUnsatisfiable");
            if (!actions.contains(action)) {
                errors.notSupported(field + ".whenUnsatisfiable", action, actions);
            }
        }
    }
}
