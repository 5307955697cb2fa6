package io.sluice.apiserver.validation;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

import io.sluice.api.meta.Names;
import io.sluice.api.net.Cidr;
import io.sluice.api.net.IpFamily;
import io.sluice.api.object.KubeObject;

import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** Kinds with few rules: Namespace, Node, ServiceAccount, Lease. */
public final class SmallKindsValidation {
    private static final List<String> EFFECTS =
            List.of("NoExecute", "NoSchedule", "PreferNoSchedule");

    private SmallKindsValidation() {}

    public static void validateNamespace(ObjectNode namespace, FieldErrors errors) {
        JsonNode finalizers = namespace.path("spec").path("finalizers");
        for (int i = 0; i < finalizers.size(); i++) {
            String finalizer = finalizers.get(i).asText();
            errors.invalid(
                    "spec.finalizers[" + i + ']',
                    finalizer,
                    MetadataValidation.finalizerProblems(finalizer));
        }
    }

    public static void validateNode(ObjectNode node, FieldErrors errors) {
        JsonNode spec = node.path("spec");
        JsonNode taints = spec.path("taints");
        Set<String> seen = new HashSet<>();
        for (int i = 0; i < taints.size(); i++) {
            String field = "spec.taints[" + i + ']';
            JsonNode taint = taints.get(i);
            String key = KubeObject.text(taint, "key");
            String value = KubeObject.text(taint, "value");
            String effect = KubeObject.text(taint, "effect");
            errors.invalid(field + ".key", key, Names.qualifiedName(key));
            errors.invalid(field + ".value", value, Names.labelValue(value));
            if (effect.isEmpty()) {
                errors.required(field + ".effect", "");
            } else if (!EFFECTS.contains(effect)) {
                errors.notSupported(field + ".effect", effect, EFFECTS);
            }
            if (!seen.add(key + '=' + effect)) {
                errors.duplicate(field, taint);
            }
        }
        podCidrs(spec, errors);
    }

    private static void podCidrs(JsonNode spec, FieldErrors errors) {
        JsonNode ranges = spec.path("podCIDRs");
        for (int i = 0; i < ranges.size(); i++) {
            String range = ranges.get(i).asText();
            if (Cidr.parse(range).isEmpty()) {
                errors.invalid("spec.podCIDRs[" + i + ']', range, Addresses.NOT_A_CIDR);
            }
        }
        if (ranges.size() > 2) {
            errors.invalid("spec.podCIDRs", ranges, "may only hold up to 2 values");
        }
        String first = KubeObject.text(spec, "podCIDR");
        if (!first.isEmpty() && !ranges.isEmpty() && !ranges.get(0).asText().equals(first)) {
            errors.invalid("spec.podCIDRs", ranges, "first value must match `podCIDR`");
        }
    }

    public static void validateNodeUpdate(ObjectNode node, ObjectNode old, FieldErrors errors) {
        JsonNode now = node.path("spec");
        JsonNode before = old.path("spec");
        if (!Same.empty(before.path("podCIDRs"))
                && !Same.same(now.path("podCIDRs"), before.path("podCIDRs"))) {
            errors.forbidden(
                    "spec.podCIDRs",
                    "node updates may not change podCIDR except from \"\" to valid");
        }
        if (!Same.empty(before.path("providerID"))
                && !Same.same(now.path("providerID"), before.path("providerID"))) {
            errors.forbidden(
                    "spec.providerID",
                    "node updates may not change providerID except from \"\" to valid");
        }
    }

    public static void validateLease(ObjectNode lease, FieldErrors errors) {
        JsonNode spec = lease.path("spec");
        JsonNode duration = spec.path("leaseDurationSeconds");
        if (!duration.isMissingNode() && duration.asInt() <= 0) {
            errors.invalid("spec.leaseDurationSeconds", duration, "must be greater than 0");
        }
        JsonNode transitions = spec.path("leaseTransitions");
        if (transitions.asInt() < 0) {
            errors.invalid(
                    "spec.leaseTransitions", transitions, "must be greater than or equal to 0");
        }
        String strategy = KubeObject.text(spec, "strategy");
        if (!strategy.isEmpty()
                && !strategy.contains("/")
                && !strategy.equals("OldestEmulationVersion")) {
            errors.notSupported("spec.strategy", strategy, List.of("OldestEmulationVersion"));
        }
        if (strategy.isEmpty() && spec.has("preferredHolder")) {
            errors.required(
                    "spec.strategy", "must be specified when `preferredHolder` is specified");
        }
    }

    public static void validateServiceCidr(ObjectNode range, FieldErrors errors) {
        JsonNode blocks = range.path("spec").path("cidrs");
        if (blocks.isEmpty()) {
            errors.required("spec.cidrs", "at least one CIDR required");
        }
        if (blocks.size() > 2) {
            errors.invalid("spec.cidrs", blocks, "may only hold up to 2 values");
            return;
        }
        Set<IpFamily> families = EnumSet.noneOf(IpFamily.class);
        for (int i = 0; i < blocks.size(); i++) {
            String field = "spec.cidrs[" + i + ']';
            String text = blocks.get(i).asText();
            Optional<Cidr> block = Cidr.parse(text);
            if (block.isEmpty()) {
                errors.invalid(
                        field,
                        text,
                        "must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)");
            } else if (!families.add(block.get().family())) {
                errors.invalid(
                        "spec.cidrs", blocks, "may specify no more than one IP for each IP family");
            }
        }
    }

    /** A second family may be added; nothing else changes. */
    public static void validateServiceCidrUpdate(
            ObjectNode range, ObjectNode old, FieldErrors errors) {
        JsonNode now = range.path("spec").path("cidrs");
        JsonNode before = old.path("spec").path("cidrs");
        for (int i = 0; i < before.size(); i++) {
            errors.immutable("spec.cidrs[" + i + ']', now.path(i), before.path(i));
        }
    }
}
