package io.sluice.apiserver.registry;

import com.fasterxml.jackson.databind.node.ObjectNode;

import java.util.List;

/**
 * What is special about a kind. All methods but the last two are pure; each has a default that suits kinds without behaviour. Objects
 * arrive decoded, defaulted by their schema and with metadata set.
 */
public interface Strategy {

    /** For kinds that need nothing special. */
    Strategy PLAIN = new Strategy() {};

    /** Fills and clears fields before validation; spec of a new object, without its status where that is a subresource. */
    default void prepareForCreate(ObjectNode object) {}

    /** As above for a replaced or patched object; takes over what a client may not change. */
    default void prepareForUpdate(ObjectNode object, ObjectNode old) {}

    /** As above for the status subresource: everything but status (and what this kind allows) comes from {@code old}. */
    default void prepareForStatusUpdate(ObjectNode object, ObjectNode old) {}

    /** Everything wrong with an object; empty when it may be stored. Schema errors were found before. */
    default List<FieldError> validate(ObjectNode object) {
        return List.of();
    }

    /** What is wrong with the change; called after {@link #validate}. */
    default List<FieldError> validateUpdate(ObjectNode object, ObjectNode old) {
        return List.of();
    }

    /** Messages for the client's {@code Warning} headers. */
    default List<String> warnings(ObjectNode object) {
        return List.of();
    }

    /** Seconds of grace a delete gets; 0 removes at once. @param requested -1 where the client gave none */
    default long gracePeriodSeconds(ObjectNode object, long requested) {
        return 0;
    }

    /**
     * Reserves what the object needs from shared pools (cluster IPs, node ports) and writes it into the object; called after
     * validation, right before the store. {@code old} is null for a creation.
     *
     * @param dryRun nothing may stay reserved after {@link Reservation#close}
     * @throws ApiException if a pool refuses, with the field named
     */
    default Reservation reserve(ObjectNode object, ObjectNode old, boolean dryRun) {
        return Reservation.NONE;
    }

    /** Gives back what a deleted object held. */
    default void release(ObjectNode object) {}

    /** What {@link #reserve} took; exactly one of the two methods is called. */
    interface Reservation {
        Reservation NONE = new Reservation() {};

        /** The object is stored. */
        default void keep() {}

        /** The store refused, or it was a dry run: give back what was newly taken. */
        default void close() {}
    }
}
