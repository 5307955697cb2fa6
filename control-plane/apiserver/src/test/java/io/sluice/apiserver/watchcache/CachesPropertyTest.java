package io.sluice.apiserver.watchcache;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;

import io.sluice.api.net.Cidr;
import io.sluice.api.object.Json;
import io.sluice.api.object.KubeObject;
import io.sluice.api.selector.FieldSelector;
import io.sluice.api.selector.LabelSelector;
import io.sluice.api.selector.SelectorException;
import io.sluice.apiserver.allocator.ServiceAllocator;
import io.sluice.apiserver.kinds.BuiltinKinds;
import io.sluice.apiserver.registry.Kind;
import io.sluice.apiserver.registry.Registry;
import io.sluice.apiserver.rest.ContinueToken;
import io.sluice.apiserver.rest.Query;
import io.sluice.apiserver.rest.ReadOptions;
import io.sluice.apiserver.rest.Reader;
import io.sluice.store.Store;
import io.sluice.store.embedded.EmbeddedOptions;
import io.sluice.store.embedded.EmbeddedStore;

import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.TreeMap;

/**
 * A random history of writes, and in its midst lists, pages, watches and resumed watches: each must tell the same story as the model,
 * which is a map for each revision. {@code -Dcaches.seed=N} repeats one seed.
 */
class CachesPropertyTest {
    private static final int STEPS = 400;
    private static final List<String> NAMESPACES = List.of("a", "ab", "b");
    private static final List<String> SELECTORS =
            List.of("", "", "c=1", "c!=1", "c in (1,2)", "!c");

    @TempDir
    Path directory;

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6})
    void allReadersTellOneStory(long given) throws Exception {
        long seed = Long.getLong("caches.seed", given);
        try (Store store = EmbeddedStore.open(
                directory.resolve("s" + seed),
                EmbeddedOptions.defaults(),
                Thread.ofPlatform().daemon().factory(),
                Thread.ofVirtual().factory())) {
            new History(store, seed).run();
        } catch (AssertionError e) {
            throw new AssertionError("seed " + seed + ": " + e.getMessage(), e);
        }
    }

    /** One run. */
    private static final class History {
        private final Store store;
        private final Random random;
        private final Registry registry = new Registry(BuiltinKinds.all(new ServiceAllocator(
                List.of(Cidr.of("10.0.0.0/24")), 30000, 30100, new Random(1))));
        private final Kind kind = registry.require("", "v1", "configmaps");
        private final Kind other = registry.require("", "v1", "secrets");
        private final TreeMap<Long, TreeMap<String, Long>> model = new TreeMap<>();
        private final Map<String, String> labels = new HashMap<>();
        private final List<Follower> followers = new ArrayList<>();
        private Caches caches;
        private Reader reader;

        History(Store store, long seed) {
            this.store = store;
            this.random = new Random(seed);
        }

        /** A client that holds a copy and keeps it new by watching. */
        private static final class Follower {
            final Selection selection;
            final TreeMap<String, Long> copy = new TreeMap<>();
            Watcher watcher;
            long position;

            Follower(Selection selection) {
                this.selection = selection;
            }

            void take(Change.Seen seen) {
                position = Math.max(position, seen.item().revision());
                switch (seen.type()) {
                    case ADDED ->
                        assertThat(copy.put(seen.item().key(), seen.item().revision()))
                                .as("ADDED was there: %s", seen.item().key())
                                .isNull();
                    case MODIFIED ->
                        assertThat(copy.put(seen.item().key(), seen.item().revision()))
                                .as("MODIFIED was missing: %s", seen.item().key())
                                .isNotNull();
                    case DELETED ->
                        assertThat(copy.remove(seen.item().key()))
                                .as("DELETED was missing: %s", seen.item().key())
                                .isNotNull();
                }
            }

            void drain() throws InterruptedException {
                while (watcher.take(Duration.ZERO) instanceof Watcher.Signal.Event event) {
                    take(event.seen());
                }
            }
        }

        void run() throws Exception {
            for (int i = 0; i < 30; i++) {
                write();
            }
            caches = Caches.start(
                    store, registry, Clock.systemUTC(), Thread.ofVirtual().factory());
            reader = new Reader(store, caches);
            for (int i = 0; i < STEPS; i++) {
                switch (random.nextInt(10)) {
                    case 0 -> follow();
                    case 1 -> list();
                    case 2 -> pages();
                    case 3 -> resume();
                    default -> write();
                }
            }
            settle();
            caches.close();
        }

        private void write() {
            if (random.nextInt(5) == 0) {
                store.commit(
                        List.of(),
                        List.of(new Store.Operation.Put(
                                other.key("a", "s"), object("a", "s", ""))));
                remember(Map.of());
                return;
            }
            String namespace = NAMESPACES.get(random.nextInt(NAMESPACES.size()));
            String name = "n" + random.nextInt(12);
            String key = kind.key(namespace, name);
            boolean delete = store.get(key, 0).isPresent() && random.nextInt(3) == 0;
            String label = random.nextInt(3) == 0 ? "" : Integer.toString(1 + random.nextInt(3));
            store.commit(
                    List.of(),
                    List.of(
                            delete
                                    ? new Store.Operation.Delete(key)
                                    : new Store.Operation.Put(
                                            key, object(namespace, name, label))));
            Map<String, Long> change = new HashMap<>();
            change.put(key, delete ? null : store.revision());
            labels.put(key + '@' + store.revision(), label);
            remember(change);
        }

        private void remember(Map<String, Long> change) {
            TreeMap<String, Long> next = model.isEmpty()
                    ? new TreeMap<>()
                    : new TreeMap<>(model.lastEntry().getValue());
            change.forEach((key, revision) -> {
                if (revision == null) {
                    next.remove(key);
                } else {
                    next.put(key, revision);
                }
            });
            model.put(store.revision(), next);
        }

        private byte[] object(String namespace, String name, String label) {
            ObjectNode out = Json.object().put("kind", "ConfigMap").put("apiVersion", "v1");
            ObjectNode metadata = KubeObject.of(out).metadataForUpdate();
            metadata.put("name", name).put("namespace", namespace);
            if (!label.isEmpty()) {
                metadata.putObject("labels").put("c", label);
            }
            return StoredJson.encode(out);
        }

        private Selection selection() throws SelectorException {
            String namespace = random.nextBoolean() ? "" : NAMESPACES.get(random.nextInt(3));
            FieldSelector fields = random.nextInt(4) == 0
                    ? FieldSelector.parse("metadata.name=n" + random.nextInt(12))
                    : FieldSelector.EVERYTHING;
            return new Selection(
                    namespace,
                    LabelSelector.parse(SELECTORS.get(random.nextInt(SELECTORS.size()))),
                    fields);
        }

        private Map<String, Long> expected(Selection selection, long revision) {
            TreeMap<String, Long> out = new TreeMap<>(model.floorEntry(revision).getValue());
            out.entrySet().removeIf(entry -> !selection.matches(item(entry)));
            return out;
        }

        private Item item(Map.Entry<String, Long> entry) {
            String[] parts = entry.getKey().substring(kind.storage().length()).split("/");
            String label = labels.get(entry.getKey() + '@' + entry.getValue());
            return new Item(
                    entry.getKey(),
                    parts[0],
                    parts[1],
                    label.isEmpty() ? Map.of() : Map.of("c", label),
                    Map.of(),
                    new byte[0],
                    entry.getValue());
        }

        private String below(Selection selection) {
            return kind.storage()
                    + (selection.namespace().isEmpty() ? "" : selection.namespace() + '/');
        }

        private void awaitNewest() {
            assertThat(caches.awaitRevision(store.revision(), Duration.ofSeconds(30)))
                    .isTrue();
        }

        private void follow() throws SelectorException {
            Follower next = new Follower(selection());
            ResourceCache.Opening opening =
                    caches.of(kind).openWithState(below(next.selection), next.selection);
            opening.initial().forEach(item -> next.take(new Change.Seen(Change.Type.ADDED, item)));
            next.position = opening.revision();
            assertThat(next.copy).isEqualTo(expected(next.selection, opening.revision()));
            next.watcher = opening.watcher();
            followers.add(next);
        }

        private void list() throws SelectorException {
            Selection selection = selection();
            awaitNewest();
            ResourceCache.Listing all = caches.of(kind).list(below(selection), selection);
            assertThat(keys(all.items())).isEqualTo(expected(selection, all.revision()));
            assertThat(all.revision()).isEqualTo(store.revision());
        }

        private static Map<String, Long> keys(List<Item> items) {
            TreeMap<String, Long> out = new TreeMap<>();
            items.forEach(item -> out.put(item.key(), item.revision()));
            assertThat(out).hasSize(items.size());
            return out;
        }

        /** Pages of one list show one revision, whatever is written between them. */
        private void pages() throws SelectorException {
            Selection selection = selection();
            ReadOptions options = withLimit(selection, Optional.empty());
            Reader.Page page = reader.list(kind, options);
            long revision = page.revision();
            List<Item> all = new ArrayList<>(page.items());
            while (!page.token().isEmpty()) {
                write();
                page = reader.list(
                        kind,
                        withLimit(selection, Optional.of(ContinueToken.decode(page.token()))));
                assertThat(page.revision()).isEqualTo(revision);
                all.addAll(page.items());
            }
            assertThat(keys(all)).isEqualTo(expected(selection, revision));
        }

        private ReadOptions withLimit(Selection selection, Optional<ContinueToken> token) {
            ReadOptions plain = ReadOptions.of(kind, "", Query.EMPTY);
            return new ReadOptions(
                    selection,
                    false,
                    plain.version(),
                    plain.match(),
                    1 + random.nextInt(4),
                    token,
                    false,
                    Optional.empty(),
                    0);
        }

        /** Cuts a watch at any point and goes on after the last revision it saw. */
        private void resume() throws InterruptedException, HistoryGoneException {
            if (followers.isEmpty()) {
                return;
            }
            Follower one = followers.get(random.nextInt(followers.size()));
            int some = random.nextInt(4);
            for (int i = 0; i < some; i++) {
                if (one.watcher.take(Duration.ZERO) instanceof Watcher.Signal.Event event) {
                    one.take(event.seen());
                }
            }
            if (random.nextBoolean()) {
                one.watcher.position().ifPresent(bookmark -> one.position = bookmark);
            }
            one.watcher.close();
            ResourceCache.Opening opening = caches.of(kind).openAfter(one.selection, one.position);
            opening.replay().forEach(one::take);
            one.watcher = opening.watcher();
        }

        private void settle() throws InterruptedException {
            awaitNewest();
            for (Follower each : followers) {
                each.drain();
                assertThat(each.copy).isEqualTo(expected(each.selection, store.revision()));
            }
            assertThat(followers).isNotEmpty();
        }
    }
}
