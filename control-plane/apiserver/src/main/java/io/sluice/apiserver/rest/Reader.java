package io.sluice.apiserver.rest;

import io.sluice.apiserver.registry.ApiException;
import io.sluice.apiserver.registry.Kind;
import io.sluice.apiserver.registry.Statuses;
import io.sluice.apiserver.watchcache.Caches;
import io.sluice.apiserver.watchcache.Item;
import io.sluice.apiserver.watchcache.ItemReader;
import io.sluice.apiserver.watchcache.ResourceCache;
import io.sluice.apiserver.watchcache.Selection;
import io.sluice.store.CompactedException;
import io.sluice.store.FutureRevisionException;
import io.sluice.store.Store;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/** Gets and lists, with the API's promises about freshness. Edge; thread-safe. */
public final class Reader {
    private static final Duration FRESH_WAIT = Duration.ofSeconds(3);
    private static final int STORE_PAGE = 500;
    private static final String TOKEN_EXPIRED = "The provided continue parameter is too old to"
            + " display a consistent list result. You can start a new list without the continue"
            + " parameter, or use the continue token in this response to retrieve the remainder of"
            + " the results. Continuing with the provided token results in an inconsistent list -"
            + " objects that were created, modified, or deleted between the time the first chunk"
            + " was returned and now may show up in the list.";

    private final Store store;
    private final Caches caches;

    public Reader(Store store, Caches caches) {
        this.store = store;
        this.caches = caches;
    }

    /**
     * A list or a page of one.
     *
     * @param token where it goes on; empty at the end
     * @param remaining how many come after the page; 0 where that is not known
     */
    public record Page(List<Item> items, long revision, String token, long remaining) {}

    /** @throws ApiException 404 if there is none */
    public Item get(Kind kind, String namespace, String name, OptionalLong version) {
        freshen(version);
        return caches.of(kind)
                .get(kind.key(namespace, name))
                .orElseThrow(() -> Statuses.notFound(kind.resource(), name));
    }

    public Page list(Kind kind, ReadOptions options) {
        Optional<ContinueToken> token = options.token();
        if (token.isPresent()) {
            return rest(kind, options, token.get());
        }
        OptionalLong version = options.version();
        boolean any = version.isPresent() && version.getAsLong() == 0;
        boolean exact = version.isPresent()
                && !any
                && (options.match() == ReadOptions.Match.EXACT
                        || options.match() == ReadOptions.Match.UNSET && options.limit() > 0);
        if (exact) {
            return stored(kind, options, "", version.getAsLong());
        }
        freshen(version);
        ResourceCache cache = caches.of(kind);
        ResourceCache.Listing all =
                cache.list(below(kind, options.selection()), options.selection());
        return any || options.limit() == 0 || all.items().size() <= options.limit()
                ? new Page(all.items(), all.revision(), "", 0)
                : firstPage(kind, options, all);
    }

    private static Page firstPage(Kind kind, ReadOptions options, ResourceCache.Listing all) {
        List<Item> page = all.items().subList(0, (int) options.limit());
        String last = page.getLast().key().substring(kind.storage().length());
        long remaining = options.selection().isUnfiltered() ? all.items().size() - page.size() : 0;
        return new Page(
                page, all.revision(), new ContinueToken(all.revision(), last).encode(), remaining);
    }

    private Page rest(Kind kind, ReadOptions options, ContinueToken token) {
        long revision = token.revision() < 0 ? store.revision() : token.revision();
        try {
            return stored(kind, options, token.after(), revision);
        } catch (GoneException e) {
            throw Statuses.expired(
                    TOKEN_EXPIRED, new ContinueToken(ContinueToken.NEWEST, token.after()).encode());
        }
    }

    /** The store no longer holds the revision; becomes a 410 of the right wording. */
    private static final class GoneException extends RuntimeException {
        private static final long serialVersionUID = 1L;
    }

    private Page stored(Kind kind, ReadOptions options, String after, long revision) {
        try {
            return storedPage(kind, options, after, revision);
        } catch (CompactedException e) {
            if (options.token().isPresent()) {
                throw new GoneException();
            }
            throw Statuses.expired("The resourceVersion for the provided list is too old.");
        } catch (FutureRevisionException e) {
            throw Statuses.futureVersion(revision, store.revision());
        }
    }

    /** Reads on until the page is full of objects that match. */
    private Page storedPage(Kind kind, ReadOptions options, String after, long revision) {
        Selection selection = options.selection();
        ItemReader reader = new ItemReader(List.of(kind));
        String below = below(kind, selection);
        String cursor = after.isEmpty() ? "" : kind.storage() + after;
        List<Item> found = new ArrayList<>();
        while (true) {
            long room = options.limit() == 0 ? STORE_PAGE : options.limit() - found.size();
            int limit = (int) Math.min(room, STORE_PAGE);
            Store.Range range = store.range(new Store.RangeQuery(below, cursor, limit, revision));
            for (Store.Entry entry : range.entries()) {
                cursor = entry.key();
                reader.read(entry).filter(selection::matches).ifPresent(found::add);
            }
            if (range.remaining() == 0) {
                return new Page(found, revision, "", 0);
            }
            if (options.limit() > 0 && found.size() >= options.limit()) {
                String last = cursor.substring(kind.storage().length());
                String token = new ContinueToken(
                                isNewest(options) ? ContinueToken.NEWEST : revision, last)
                        .encode();
                return new Page(
                        found, revision, token, selection.isUnfiltered() ? range.remaining() : 0);
            }
        }
    }

    private static boolean isNewest(ReadOptions options) {
        return options.token().map(token -> token.revision() < 0).orElse(false);
    }

    static String below(Kind kind, Selection selection) {
        return kind.namespaced() && !selection.namespace().isEmpty()
                ? kind.storage() + selection.namespace() + '/'
                : kind.storage();
    }

    /**
     * Waits until the caches are as new as the client may expect: as the store where it named no version, not older than the version
     * it named; 0 takes what is there.
     *
     * @throws ApiException 504 for a version that does not come
     */
    void freshen(OptionalLong version) {
        long wanted = version.orElseGet(store::revision);
        if (!caches.awaitRevision(wanted, FRESH_WAIT)) {
            throw version.isPresent()
                    ? Statuses.futureVersion(wanted, caches.revision())
                    : Statuses.timeout("the server's cache is behind its store", 1);
        }
    }
}
