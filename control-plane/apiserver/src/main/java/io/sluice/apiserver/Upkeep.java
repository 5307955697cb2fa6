package io.sluice.apiserver;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

import io.sluice.api.quantity.Rfc3339;
import io.sluice.api.selector.FieldSelector;
import io.sluice.api.selector.LabelSelector;
import io.sluice.apiserver.registry.ApiException;
import io.sluice.apiserver.registry.Kind;
import io.sluice.apiserver.rest.DeleteOptions;
import io.sluice.apiserver.rest.Deleter;
import io.sluice.apiserver.watchcache.Caches;
import io.sluice.apiserver.watchcache.Item;
import io.sluice.apiserver.watchcache.Selection;
import io.sluice.store.Store;
import io.sluice.store.StoreException;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayDeque;
import java.util.Optional;

/** What must be done now and then: old revisions, old Events, ending certificates. State, owned by the thread that calls {@link #run}. */
final class Upkeep {
    private static final Logger LOG = LoggerFactory.getLogger(Upkeep.class);
    private static final Duration EVENT_LIFE = Duration.ofHours(1);
    private static final Selection ALL =
            new Selection("", LabelSelector.EVERYTHING, FieldSelector.EVERYTHING);

    private final Store store;
    private final Caches caches;
    private final Deleter deleter;
    private final Kind events;
    private final ServingTls tls;
    private final InstantSource clock;
    private final Duration historyKept;
    private final ArrayDeque<Mark> marks = new ArrayDeque<>();

    private record Mark(Instant at, long revision) {}

    Upkeep(
            Store store,
            Caches caches,
            Deleter deleter,
            Kind events,
            ServingTls tls,
            InstantSource clock,
            Duration historyKept) {
        this.store = store;
        this.caches = caches;
        this.deleter = deleter;
        this.events = events;
        this.tls = tls;
        this.clock = clock;
        this.historyKept = historyKept;
    }

    /** Everything that is due; what fails is logged and tried again with the next call. */
    void run() {
        try {
            compact();
            expireEvents();
            if (tls.renew()) {
                LOG.info("the serving certificate was renewed");
            }
        } catch (StoreException | IOException e) {
            LOG.warn("upkeep failed and is tried again: {}", e.getMessage());
        }
    }

    private void compact() {
        Instant now = clock.instant();
        marks.add(new Mark(now, store.revision()));
        Optional<Mark> due = Optional.empty();
        while (!marks.isEmpty() && !marks.peek().at().plus(historyKept).isAfter(now)) {
            due = Optional.of(marks.poll());
        }
        long revision = due.map(Mark::revision).orElse(0L);
        if (revision > store.compactedRevision()) {
            store.compact(revision);
        }
    }

    private void expireEvents() {
        Instant oldest = clock.instant().minus(EVENT_LIFE);
        for (Item item : caches.of(events).list(events.storage(), ALL).items()) {
            ObjectNode event = item.tree();
            if (lastSeen(event).isBefore(oldest)) {
                String version = event.path("metadata").path("resourceVersion").asText();
                DeleteOptions unchanged =
                        new DeleteOptions(0, Optional.empty(), "", version, false);
                try {
                    deleter.delete(events, item.namespace(), item.name(), unchanged);
                } catch (ApiException e) {
                    LOG.debug("Event {} stays for now: {}", item.key(), e.getMessage());
                }
            }
        }
    }

    /** The latest time an Event names; one that names none is taken for old. */
    private static Instant lastSeen(ObjectNode event) {
        Instant latest = Instant.EPOCH;
        for (JsonNode time : new JsonNode[] {
            event.path("metadata").path("creationTimestamp"),
            event.path("lastTimestamp"),
            event.path("eventTime"),
            event.path("series").path("lastObservedTime")
        }) {
            Instant parsed = Rfc3339.parse(time.asText("")).orElse(Instant.EPOCH);
            latest = parsed.isAfter(latest) ? parsed : latest;
        }
        return latest;
    }
}
