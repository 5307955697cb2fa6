package io.sluice.apiserver.watchcache;

import java.util.Optional;

/**
 * One change of one object, shared by all watchers.
 *
 * @param before with the revision it was written at; absent for a creation
 * @param after absent for a deletion
 * @param gone what a watcher is told who saw {@code before} and may not see {@code after}: the old body with the new version
 */
public record Change(
        String key,
        long revision,
        Optional<Item> before,
        Optional<Item> after,
        Optional<Item> gone) {

    /** Event types on the wire. */
    public enum Type {
        ADDED,
        MODIFIED,
        DELETED
    }

    /** What one watcher sees of a change. */
    public record Seen(Type type, Item item) {}

    /** Empty where it concerns nothing the selection ever had. */
    Optional<Seen> seenBy(Selection selection) {
        boolean was = before.isPresent() && selection.matches(before.get());
        boolean is = after.isPresent() && selection.matches(after.get());
        if (is) {
            return Optional.of(new Seen(was ? Type.MODIFIED : Type.ADDED, after.get()));
        }
        return was ? gone.map(item -> new Seen(Type.DELETED, item)) : Optional.empty();
    }
}
