package io.sluice.apiserver.kinds;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.MissingNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

import io.sluice.api.object.KubeObject;
import io.sluice.api.quantity.Rfc3339;
import io.sluice.apiserver.registry.Column;
import io.sluice.apiserver.validation.Same;

import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** Table columns of Pods; the STATUS column is a summary that users read as if it were a field. */
final class PodColumns {
    static final List<Column> ALL = List.of(
            Columns.text("Ready", pod -> PodSummary.of(pod).ready()),
            Columns.text("Status", pod -> PodSummary.of(pod).status()),
            Columns.column("Restarts", "string", 0, (pod, now) -> Columns.node(restarts(pod, now))),
            Columns.wide("IP", PodColumns::ip),
            Columns.wide(
                    "Node", pod -> Columns.orNone(KubeObject.text(pod.path("spec"), "nodeName"))),
            Columns.wide(
                    "Nominated Node",
                    pod -> Columns.orNone(
                            KubeObject.text(pod.path("status"), "nominatedNodeName"))),
            Columns.wide("Readiness Gates", PodColumns::gates));

    private PodColumns() {}

    static String ip(ObjectNode pod) {
        String first = KubeObject.text(pod.path("status").path("podIPs").path(0), "ip");
        return Columns.orNone(
                first.isEmpty() ? KubeObject.text(pod.path("status"), "podIP") : first);
    }

    private static String restarts(ObjectNode pod, Instant now) {
        PodSummary summary = PodSummary.of(pod);
        String count = Long.toString(summary.restarts());
        return summary.restarts() > 0 && summary.lastRestart().isPresent()
                ? count + " (" + Columns.age(Columns.node(summary.lastRestart().get()), now)
                        + " ago)"
                : count;
    }

    private static String gates(ObjectNode pod) {
        JsonNode gates = pod.path("spec").path("readinessGates");
        if (gates.isEmpty()) {
            return Columns.NONE;
        }
        int met = 0;
        for (JsonNode gate : gates) {
            for (JsonNode condition : pod.path("status").path("conditions")) {
                boolean same = KubeObject.text(condition, "type")
                        .equals(KubeObject.text(gate, "conditionType"));
                met += same && KubeObject.text(condition, "status").equals("True") ? 1 : 0;
            }
        }
        return met + "/" + gates.size();
    }

    /** What the columns say, read from a pod's status once. */
    record PodSummary(String ready, String status, long restarts, Optional<String> lastRestart) {

        static PodSummary of(ObjectNode pod) {
            return new Reader(pod).read();
        }
    }

    private static final class Reader {
        private final ObjectNode pod;
        private final JsonNode status;
        private final Set<String> sidecars = new HashSet<>();
        private int readyCount;
        private int total;
        private long restarts;
        private String lastRestart = "";

        Reader(ObjectNode pod) {
            this.pod = pod;
            this.status = pod.path("status");
        }

        PodSummary read() {
            total = pod.path("spec").path("containers").size();
            String reason = KubeObject.text(status, "reason").isEmpty()
                    ? KubeObject.text(status, "phase")
                    : KubeObject.text(status, "reason");
            if (condition("PodScheduled").path("reason").asText("").equals("SchedulingGated")) {
                reason = "SchedulingGated";
            }
            Optional<String> initializing = initContainers();
            if (initializing.isPresent() && !isTrue("Initialized")) {
                reason = initializing.get();
            } else {
                reason = containers(reason);
            }
            return new PodSummary(
                    readyCount + "/" + total,
                    deleting(reason),
                    restarts,
                    Optional.of(lastRestart).filter(time -> !time.isEmpty()));
        }

        private String deleting(String reason) {
            if (Same.empty(pod.path("metadata").path("deletionTimestamp"))) {
                return reason;
            }
            if (KubeObject.text(status, "reason").equals("NodeLost")) {
                return "Unknown";
            }
            String phase = KubeObject.text(status, "phase");
            boolean ended = phase.equals("Failed") || phase.equals("Succeeded");
            return ended ? reason : "Terminating";
        }

        /** The first init container that is not through, as {@code Init:…}. */
        private Optional<String> initContainers() {
            JsonNode specs = pod.path("spec").path("initContainers");
            for (JsonNode spec : specs) {
                if (KubeObject.text(spec, "restartPolicy").equals("Always")) {
                    sidecars.add(KubeObject.text(spec, "name"));
                    total++;
                }
            }
            Optional<String> first = Optional.empty();
            JsonNode statuses = status.path("initContainerStatuses");
            long initRestarts = 0;
            long sidecarRestarts = 0;
            for (int i = 0; i < statuses.size(); i++) {
                JsonNode container = statuses.get(i);
                boolean sidecar = sidecars.contains(KubeObject.text(container, "name"));
                initRestarts += container.path("restartCount").asLong();
                sidecarRestarts += sidecar ? container.path("restartCount").asLong() : 0;
                noteRestart(container);
                if (first.isEmpty()) {
                    first = init(container, sidecar, i, specs.size());
                }
            }
            restarts = first.isPresent() ? initRestarts : sidecarRestarts;
            return first;
        }

        private Optional<String> init(JsonNode container, boolean sidecar, int index, int count) {
            JsonNode state = container.path("state");
            JsonNode ended = state.path("terminated");
            if (!ended.isMissingNode()) {
                return ended.path("exitCode").asInt() == 0
                        ? Optional.empty()
                        : Optional.of("Init:" + ended(ended));
            }
            if (sidecar && container.path("started").asBoolean()) {
                readyCount += container.path("ready").asBoolean() ? 1 : 0;
                return Optional.empty();
            }
            String waiting = KubeObject.text(state.path("waiting"), "reason");
            boolean named = !waiting.isEmpty() && !waiting.equals("PodInitializing");
            return Optional.of("Init:" + (named ? waiting : index + "/" + count));
        }

        private static String ended(JsonNode ended) {
            String reason = KubeObject.text(ended, "reason");
            int signal = ended.path("signal").asInt();
            return !reason.isEmpty()
                    ? reason
                    : signal != 0
                            ? "Signal:" + signal
                            : "ExitCode:" + ended.path("exitCode").asInt();
        }

        private String containers(String reason) {
            String out = reason;
            boolean running = false;
            JsonNode statuses = status.path("containerStatuses");
            List<JsonNode> backwards = new ArrayList<>();
            statuses.forEach(backwards::addFirst);
            for (JsonNode container : backwards) {
                restarts += container.path("restartCount").asLong();
                noteRestart(container);
                JsonNode state = container.path("state");
                String waiting = KubeObject.text(state.path("waiting"), "reason");
                if (!waiting.isEmpty()) {
                    out = waiting;
                } else if (state.has("terminated")) {
                    out = ended(state.path("terminated"));
                } else if (state.has("running") && container.path("ready").asBoolean()) {
                    running = true;
                    readyCount++;
                }
            }
            if (out.equals("Completed") && running) {
                return isTrue("Ready") ? "Running" : "NotReady";
            }
            return out;
        }

        private void noteRestart(JsonNode container) {
            String time =
                    KubeObject.text(container.path("lastState").path("terminated"), "finishedAt");
            Optional<Instant> at = Rfc3339.parse(time);
            Optional<Instant> known = Rfc3339.parse(lastRestart);
            if (at.isPresent() && (known.isEmpty() || at.get().isAfter(known.get()))) {
                lastRestart = time;
            }
        }

        private JsonNode condition(String type) {
            for (JsonNode condition : status.path("conditions")) {
                if (KubeObject.text(condition, "type").equals(type)) {
                    return condition;
                }
            }
            return MissingNode.getInstance();
        }

        private boolean isTrue(String type) {
            return condition(type).path("status").asText("").equals("True");
        }
    }
}
