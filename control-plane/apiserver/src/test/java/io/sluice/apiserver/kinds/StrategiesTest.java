package io.sluice.apiserver.kinds;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;

import io.sluice.apiserver.registry.Kind;
import io.sluice.apiserver.registry.Strategy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.util.function.Function;

/** Behaviour of single kinds that no golden file shows. */
final class StrategiesTest {
    private final KindRun run = KindRun.singleStack();

    private Strategy strategy(ObjectNode object) {
        return run.kind(object).strategy();
    }

    @ParameterizedTest
    @CsvSource({
        // node, phase, grace of the spec, asked for, granted
        "'', Pending, 30, -1, 0",
        "'', Pending, 30, 10, 0",
        "n1, Running, 30, -1, 30",
        "n1, Running, 7, -1, 7",
        "n1, Running, 30, 5, 5",
        "n1, Running, 30, 0, 0",
        "n1, Succeeded, 30, -1, 0",
        "n1, Failed, 30, 20, 0",
    })
    void podsGetTimeOnlyWhereANodeRunsThem(
            String node, String phase, long grace, long asked, long granted) {
        ObjectNode pod = KindRun.yaml("{apiVersion: v1, kind: Pod, spec: {}, status: {}}");
        ((ObjectNode) pod.get("spec"))
                .put("nodeName", node)
                .put("terminationGracePeriodSeconds", grace);
        ((ObjectNode) pod.get("status")).put("phase", phase);
        assertThat(strategy(pod).gracePeriodSeconds(pod, asked)).isEqualTo(granted);
    }

    @Test
    void aStatusUpdateChangesNothingElse() {
        ObjectNode old = run.create(
                "{apiVersion: v1, kind: Service, metadata: {name: s, namespace: default}, spec: {ports: [{port: 80}]}}");
        ObjectNode change = old.deepCopy();
        ((ObjectNode) change.get("spec")).put("type", "NodePort");
        change.set("status", KindRun.yaml("{loadBalancer: {ingress: [{ip: 192.0.2.1}]}}"));
        strategy(old).prepareForStatusUpdate(change, old);
        assertThat(change.get("spec")).isEqualTo(old.get("spec"));
        assertThat(change.get("status"))
                .isEqualTo(
                        KindRun.yaml("{loadBalancer: {ingress: [{ip: 192.0.2.1, ipMode: VIP}]}}"));
    }

    @Test
    void anUpdateLeavesTheStatus() {
        ObjectNode old = KindRun.yaml(
                "{apiVersion: v1, kind: Node, metadata: {name: n1}, status: {phase: Running}}");
        ObjectNode change = KindRun.yaml(
                "{apiVersion: v1, kind: Node, metadata: {name: n1}, spec: {unschedulable: true}, status: {phase: Gone}}");
        strategy(old).prepareForUpdate(change, old);
        assertThat(change.get("status")).isEqualTo(old.get("status"));
        assertThat(change.path("spec").path("unschedulable").asBoolean()).isTrue();
    }

    @Test
    void nodesAreCreatedWithTheirStatus() {
        ObjectNode node = run.create(
                "{apiVersion: v1, kind: Node, metadata: {name: n1}, status: {capacity: {pods: 110}}}");
        assertThat(node.get("status"))
                .isEqualTo(KindRun.yaml("{capacity: {pods: '110'}, allocatable: {pods: '110'}}"));
    }

    @Test
    void zeroIsAbsentWhereTheApiSaysSo() {
        ObjectNode pod = run.create(
                "{apiVersion: v1, kind: Pod, metadata: {name: p, namespace: default}, spec: {hostNetwork: false,"
                        + " automountServiceAccountToken: false, containers: [{name: a, image: i, tty: false,"
                        + " livenessProbe: {exec: {command: [x]}, periodSeconds: 0}}]}}");
        assertThat(pod.get("spec").has("hostNetwork")).isFalse();
        assertThat(pod.get("spec").has("automountServiceAccountToken")).isTrue();
        assertThat(pod.path("spec").path("containers").path(0).has("tty")).isFalse();
        assertThat(pod.path("spec")
                        .path("containers")
                        .path(0)
                        .path("livenessProbe")
                        .path("periodSeconds")
                        .asInt())
                .isEqualTo(10);
    }

    @Test
    void eventsAreOneThingInTwoForms() {
        ObjectNode stored = KindRun.yaml("""
                apiVersion: v1
                kind: Event
                metadata: {name: e, namespace: default}
                involvedObject: {kind: Pod, name: web}
                reason: BackOff
                message: text
                source: {component: kubelet}
                firstTimestamp: "2026-12-01T11:00:00Z"
                lastTimestamp: "2026-12-01T12:00:00Z"
                count: 3
                type: Warning
                eventTime: "2026-12-01T11:00:00.000000Z"
                reportingComponent: kubelet
                reportingInstance: n1
                """);
        ObjectNode other = KindRun.yaml("{apiVersion: events.k8s.io/v1, kind: Event}");
        Kind newer = run.kind(other);
        ObjectNode converted = newer.convert().fromStored(stored.deepCopy());
        assertThat(converted).isEqualTo(KindRun.yaml("""
                        apiVersion: events.k8s.io/v1
                        kind: Event
                        metadata: {name: e, namespace: default}
                        regarding: {kind: Pod, name: web}
                        reason: BackOff
                        note: text
                        deprecatedSource: {component: kubelet}
                        deprecatedFirstTimestamp: "2026-12-01T11:00:00Z"
                        deprecatedLastTimestamp: "2026-12-01T12:00:00Z"
                        deprecatedCount: 3
                        type: Warning
                        eventTime: "2026-12-01T11:00:00.000000Z"
                        reportingController: kubelet
                        reportingInstance: n1
                        """));
        assertThat(newer.convert().toStored(converted)).isEqualTo(stored);
        Function<ObjectNode, String> regarding = newer.fieldSelectors().get("regarding.name");
        assertThat(regarding.apply(stored)).isEqualTo("web");
        assertThat(regarding.apply(converted)).isEqualTo("web");
    }

    @Test
    void olderFieldsWarn() {
        ObjectNode service = KindRun.yaml(
                "{apiVersion: v1, kind: Service, spec: {loadBalancerIP: 192.0.2.1, trafficDistribution: PreferClose}}");
        assertThat(strategy(service).warnings(service)).hasSize(2);
    }
}
