package io.sluice.controllers.namespace;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;

import io.sluice.api.object.KubeObject;
import io.sluice.controllers.namespace.NamespacePlanner.Findings;

import org.junit.jupiter.api.Test;

import java.util.List;
import java.util.Map;

class NamespacePlannerTest {
    private static final String NOW = "2026-12-01T00:00:00Z";

    private static List<String> texts(Findings findings) {
        return NamespacePlanner.conditions(findings, NOW).stream()
                .map(condition -> KubeObject.text(condition, "type") + ' '
                        + KubeObject.text(condition, "status") + ' '
                        + KubeObject.text(condition, "reason") + ": "
                        + KubeObject.text(condition, "message"))
                .toList();
    }

    @Test
    void emptyNamespaceHasNothingAgainstIt() {
        Findings nothing = new Findings(Map.of(), Map.of(), List.of());
        assertThat(nothing.isEmpty()).isTrue();
        assertThat(texts(nothing))
                .allMatch(text -> text.contains(" False "))
                .contains(
                        "NamespaceContentRemaining False ContentRemoved: All content successfully removed");
    }

    @Test
    void saysWhatIsLeftAndWhatHoldsIt() {
        Findings findings = new Findings(
                Map.of("pods", 2, "endpointslices.discovery.k8s.io", 1),
                Map.of("example.com/hold", 1),
                List.of("secrets: 503"));
        assertThat(findings.isEmpty()).isFalse();
        assertThat(texts(findings))
                .contains(
                        "NamespaceContentRemaining True SomeResourcesRemain: Some resources are remaining:"
                                + " endpointslices.discovery.k8s.io has 1 resource instances, pods has 2 resource instances",
                        "NamespaceFinalizersRemaining True SomeFinalizersRemain: Some content in the namespace has"
                                + " finalizers remaining: example.com/hold in 1 resource instances",
                        "NamespaceDeletionContentFailure True ContentDeletionFailed: Failed to delete all resource types,"
                                + " 1 remaining: secrets: 503");
    }

    @Test
    void timesAloneMakeNoDifference() {
        Findings findings = new Findings(Map.of("pods", 1), Map.of(), List.of());
        List<ObjectNode> before = NamespacePlanner.conditions(findings, NOW);
        List<ObjectNode> after = NamespacePlanner.conditions(findings, "2027-01-01T00:00:00Z");
        assertThat(NamespacePlanner.same(before, after)).isTrue();
        assertThat(NamespacePlanner.same(
                        before,
                        NamespacePlanner.conditions(
                                new Findings(Map.of(), Map.of(), List.of()), NOW)))
                .isFalse();
    }
}
