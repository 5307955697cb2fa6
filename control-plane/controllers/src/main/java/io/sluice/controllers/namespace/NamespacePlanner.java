package io.sluice.controllers.namespace;

import com.fasterxml.jackson.databind.node.ObjectNode;

import io.sluice.api.object.Json;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Says how far a namespace's deletion is, in the conditions and words Kubernetes uses. Pure. */
final class NamespacePlanner {
    private NamespacePlanner() {}

    /**
     * What was found after everything was told to go.
     *
     * @param remaining objects left, by {@code resource.group}
     * @param finalizers how often each finalizer holds one of them
     * @param failures what could not be listed or deleted, one text each
     */
    record Findings(
            Map<String, Integer> remaining,
            Map<String, Integer> finalizers,
            List<String> failures) {
        boolean isEmpty() {
            return remaining.isEmpty() && failures.isEmpty();
        }
    }

    /** The conditions of {@code status}; @param now RFC 3339 */
    static List<ObjectNode> conditions(Findings findings, String now) {
        List<ObjectNode> out = new ArrayList<>();
        out.add(condition(
                "NamespaceDeletionDiscoveryFailure",
                false,
                "ResourcesDiscovered",
                "All resources successfully discovered",
                now));
        out.add(condition(
                "NamespaceDeletionGroupVersionParsingFailure",
                false,
                "ParsedGroupVersions",
                "All legacy kube types successfully parsed",
                now));
        boolean failed = !findings.failures().isEmpty();
        out.add(condition(
                "NamespaceDeletionContentFailure",
                failed,
                failed ? "ContentDeletionFailed" : "ContentDeleted",
                failed
                        ? "Failed to delete all resource types, "
                                + findings.failures().size() + " remaining: "
                                + String.join(", ", findings.failures())
                        : "All content successfully deleted, may be waiting on finalization",
                now));
        boolean remains = !findings.remaining().isEmpty();
        out.add(condition(
                "NamespaceContentRemaining",
                remains,
                remains ? "SomeResourcesRemain" : "ContentRemoved",
                remains
                        ? "Some resources are remaining: "
                                + list(findings.remaining(), " has ", " resource instances")
                        : "All content successfully removed",
                now));
        boolean held = !findings.finalizers().isEmpty();
        out.add(condition(
                "NamespaceFinalizersRemaining",
                held,
                held ? "SomeFinalizersRemain" : "ContentHasNoFinalizers",
                held
                        ? "Some content in the namespace has finalizers remaining: "
                                + list(findings.finalizers(), " in ", " resource instances")
                        : "All content-preserving finalizers finished",
                now));
        return out;
    }

    private static String list(Map<String, Integer> counts, String between, String after) {
        List<String> parts = new ArrayList<>();
        new TreeMap<>(counts).forEach((name, count) -> parts.add(name + between + count + after));
        return String.join(", ", parts);
    }

    private static ObjectNode condition(
            String type, boolean status, String reason, String message, String now) {
        return Json.object()
                .put("type", type)
                .put("status", status ? "True" : "False")
                .put("lastTransitionTime", now)
                .put("reason", reason)
                .put("message", message);
    }

    /** Whether the two say the same, times aside. */
    static boolean same(List<ObjectNode> some, List<ObjectNode> others) {
        return strip(some).equals(strip(others));
    }

    private static List<ObjectNode> strip(List<ObjectNode> conditions) {
        return conditions.stream()
                .map(condition -> {
                    ObjectNode copy = condition.deepCopy();
                    copy.remove("lastTransitionTime");
                    return copy;
                })
                .toList();
    }
}
