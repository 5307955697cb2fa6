package io.sluice.apiserver.kinds;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

import io.sluice.api.object.Json;
import io.sluice.api.object.KubeObject;
import io.sluice.apiserver.registry.Column;
import io.sluice.apiserver.registry.FieldError;
import io.sluice.apiserver.registry.Kind;
import io.sluice.apiserver.registry.Strategy;
import io.sluice.apiserver.validation.EventValidation;
import io.sluice.apiserver.validation.FieldErrors;
import io.sluice.apiserver.validation.Same;

import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** Events in both APIs over one storage; the stored form is core/v1's. */
final class EventKinds {
    /** Name in core/v1 to name in events.k8s.io/v1; what is not here has the same name in both. */
    private static final Map<String, String> RENAMED = Map.of(
            "involvedObject", "regarding",
            "message", "note",
            "source", "deprecatedSource",
            "firstTimestamp", "deprecatedFirstTimestamp",
            "lastTimestamp", "deprecatedLastTimestamp",
            "count", "deprecatedCount",
            "reportingComponent", "reportingController");

    static final List<Column> COLUMNS = List.of(
            Columns.column(
                    "Last Seen", "string", 0, (event, now) -> Columns.node(lastSeen(event, now))),
            Columns.text("Type", event -> KubeObject.text(event, "type")),
            Columns.text("Reason", event -> KubeObject.text(event, "reason")),
            Columns.text("Object", EventKinds::object),
            Columns.wide("Subobject", event -> KubeObject.text(about(event), "fieldPath")),
            Columns.wide("Source", EventKinds::source),
            Columns.text(
                    "Message",
                    event -> either(event, "message", "note").asText("").strip()),
            Columns.column(
                    "First Seen", "string", 1, (event, now) -> Columns.node(firstSeen(event, now))),
            Columns.wide("Count", event -> Long.toString(count(event))),
            Columns.wide("Name", event -> KubeObject.of(event).name()));

    private EventKinds() {}

    /** @param newer the kind of events.k8s.io */
    record EventStrategy(boolean newer) implements Strategy {
        @Override
        public List<FieldError> validate(ObjectNode event) {
            FieldErrors errors = new FieldErrors();
            EventValidation.validate(event, newer, errors);
            return errors.list();
        }

        @Override
        public List<FieldError> validateUpdate(ObjectNode event, ObjectNode old) {
            FieldErrors errors = new FieldErrors();
            EventValidation.validateUpdate(event, old, newer, errors);
            return errors.list();
        }
    }

    /** Between core/v1 and events.k8s.io/v1. */
    static final class NewerConversion implements Kind.Conversion {
        private static final Map<String, String> BACK = back();

        private static Map<String, String> back() {
            Map<String, String> out = new LinkedHashMap<>();
            RENAMED.forEach((core, newer) -> out.put(newer, core));
            return out;
        }

        @Override
        public ObjectNode fromStored(ObjectNode stored) {
            return rename(stored, RENAMED, "events.k8s.io/v1");
        }

        @Override
        public ObjectNode toStored(ObjectNode object) {
            return rename(object, BACK, "v1");
        }

        private static ObjectNode rename(
                ObjectNode from, Map<String, String> names, String version) {
            ObjectNode out = Json.object();
            for (Map.Entry<String, JsonNode> entry : from.properties()) {
                out.set(names.getOrDefault(entry.getKey(), entry.getKey()), entry.getValue());
            }
            return out.put("apiVersion", version);
        }
    }

    /** Of either form. */
    static JsonNode about(ObjectNode event) {
        return either(event, "involvedObject", "regarding");
    }

    static JsonNode either(ObjectNode event, String core, String newer) {
        return event.has(core) ? event.path(core) : event.path(newer);
    }

    /** What {@code source} means in a field selector. */
    static String component(ObjectNode event) {
        String component =
                KubeObject.text(either(event, "source", "deprecatedSource"), "component");
        return component.isEmpty()
                ? either(event, "reportingComponent", "reportingController").asText("")
                : component;
    }

    private static String object(ObjectNode event) {
        JsonNode about = about(event);
        String name = KubeObject.text(about, "name");
        return KubeObject.text(about, "kind").toLowerCase(Locale.ROOT)
                + (name.isEmpty() ? "" : '/' + name);
    }

    private static String source(ObjectNode event) {
        String host = KubeObject.text(either(event, "source", "deprecatedSource"), "host");
        String instance = host.isEmpty() ? KubeObject.text(event, "reportingInstance") : host;
        String component = component(event);
        return instance.isEmpty() ? component : component + ", " + instance;
    }

    private static long count(ObjectNode event) {
        long series = event.path("series").path("count").asLong();
        return series > 0
                ? series
                : Math.max(1, either(event, "count", "deprecatedCount").asLong());
    }

    private static String firstSeen(ObjectNode event, Instant now) {
        JsonNode first = either(event, "firstTimestamp", "deprecatedFirstTimestamp");
        return Columns.age(Same.empty(first) ? event.path("eventTime") : first, now);
    }

    private static String lastSeen(ObjectNode event, Instant now) {
        JsonNode series = event.path("series").path("lastObservedTime");
        JsonNode last = either(event, "lastTimestamp", "deprecatedLastTimestamp");
        if (!Same.empty(series)) {
            return repeated(Columns.age(series, now), event, now);
        }
        if (Same.empty(last)) {
            return firstSeen(event, now);
        }
        String age = Columns.age(last, now);
        return either(event, "count", "deprecatedCount").asLong() > 1
                ? repeated(age, event, now)
                : age;
    }

    private static String repeated(String age, ObjectNode event, Instant now) {
        return age + " (x" + count(event) + " over " + firstSeen(event, now) + ')';
    }
}
