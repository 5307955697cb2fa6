package io.sluice.rules;

import java.util.SortedSet;

/** What a mode's program does to a new connection; comparable over all modes. */
public sealed interface Fate {

    /**
     * It goes to one of these, each with a fair share.
     *
     * @param endpoints as {@code address:port}
     * @param masqueraded whether the endpoint sees the node's address; for a hairpin, whether it does when it meets itself
     */
    record Forward(SortedSet<String> endpoints, boolean masqueraded) implements Fate {}

    /** The client is told at once. */
    record Reject() implements Fate {}

    /** The client hears nothing. */
    record Drop() implements Fate {}

    /** No rule of ours speaks of it. */
    record Untouched() implements Fate {}
}
