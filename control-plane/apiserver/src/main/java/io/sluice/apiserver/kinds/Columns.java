package io.sluice.apiserver.kinds;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;

import io.sluice.api.object.KubeObject;
import io.sluice.api.quantity.Rfc3339;
import io.sluice.apiserver.registry.Column;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.ToLongFunction;

/** Makes the columns that tables are put together from. */
final class Columns {
    static final Column NAME = new Column(
            "Name",
            "string",
            "name",
            "Name must be unique within a namespace.",
            0,
            (object, _) -> node(KubeObject.of(object).name()));
    static final Column AGE = new Column(
            "Age",
            "string",
            "",
            "Time since the object was created.",
            0,
            (object, now) -> node(age(object.path("metadata").path("creationTimestamp"), now)));
    static final String NONE = "<none>";
    static final String UNKNOWN = "<unknown>";

    private Columns() {}

    static Column text(String name, Function<ObjectNode, String> cell) {
        return column(name, "string", 0, (object, _) -> node(cell.apply(object)));
    }

    /** Shown with {@code -o wide}. */
    static Column wide(String name, Function<ObjectNode, String> cell) {
        return column(name, "string", 1, (object, _) -> node(cell.apply(object)));
    }

    static Column number(String name, ToLongFunction<ObjectNode> cell) {
        return column(
                name,
                "integer",
                0,
                (object, _) -> JsonNodeFactory.instance.numberNode(cell.applyAsLong(object)));
    }

    static Column column(String name, String type, int priority, Column.Cell cell) {
        return new Column(name, type, "", name + " of the object.", priority, cell);
    }

    static JsonNode node(String text) {
        return JsonNodeFactory.instance.textNode(text);
    }

    static String orNone(String text) {
        return text.isEmpty() ? NONE : text;
    }

    /** Time since a time field: {@code 5m12s}; {@code <unknown>} where there is none. */
    static String age(JsonNode time, Instant now) {
        Optional<Instant> at =
                time.isTextual() ? Rfc3339.parse(time.textValue()) : Optional.empty();
        return at.map(instant -> duration(Duration.between(instant, now))).orElse(UNKNOWN);
    }

    /** Two significant units at most, as kubectl's users read them. */
    static String duration(Duration duration) {
        long seconds = duration.toSeconds();
        if (seconds < -1) {
            return "<invalid>";
        }
        if (seconds < 120) {
            return Math.max(seconds, 0) + "s";
        }
        long minutes = seconds / 60;
        if (minutes < 10) {
            return two(minutes, "m", seconds % 60, "s");
        }
        if (minutes < 180) {
            return minutes + "m";
        }
        long hours = minutes / 60;
        if (hours < 8) {
            return two(hours, "h", minutes % 60, "m");
        }
        if (hours < 48) {
            return hours + "h";
        }
        long days = hours / 24;
        if (days < 8) {
            return two(days, "d", hours % 24, "h");
        }
        if (days < 365 * 2) {
            return days + "d";
        }
        long years = days / 365;
        return years < 8 ? two(years, "y", days % 365, "d") : years + "y";
    }

    private static String two(long large, String largeUnit, long small, String smallUnit) {
        return small == 0 ? large + largeUnit : large + largeUnit + small + smallUnit;
    }
}
