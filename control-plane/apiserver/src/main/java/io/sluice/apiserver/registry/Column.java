package io.sluice.apiserver.registry;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

import java.time.Instant;

/**
 * One column of a kind's Table.
 *
 * @param type OpenAPI type: {@code string}, {@code integer}, {@code number}, {@code boolean}, {@code date}
 * @param format OpenAPI format; {@code name} marks the name column, else mostly empty
 * @param priority 0 shows always, 1 with {@code -o wide}
 */
public record Column(
        String name, String type, String format, String description, int priority, Cell cell) {

    /** Computes a cell; ages are relative to {@code now}. */
    @FunctionalInterface
    public interface Cell {
        JsonNode of(ObjectNode object, Instant now);
    }
}
