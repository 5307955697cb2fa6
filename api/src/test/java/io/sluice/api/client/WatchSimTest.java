package io.sluice.api.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.node.ObjectNode;

import io.sluice.api.Seeds;
import io.sluice.api.client.ScriptedServer.Answer;
import io.sluice.api.client.ScriptedServer.Request;
import io.sluice.api.meta.GroupVersionResource;
import io.sluice.api.meta.NamespacedName;
import io.sluice.api.model.TreeDecoder;
import io.sluice.api.object.KubeObject;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A collection that changes at random behind a server that fails at random: whatever was cut, refused, garbled or forgotten, the
 * listener ends with exactly what the collection holds, and hears nothing twice and nothing out of order on the way.
 */
class WatchSimTest {
    private static final TestPki PKI = new TestPki();

    static {
        Awaitility.setDefaultTimeout(Duration.ofSeconds(60)); // for machines with much else to do
    }

    private static final int CHANGES = 150;

    @Test
    void everyListenerEndsWithWhatTheCollectionHolds() {
        Seeds.run(8, WatchSimTest::simulate);
    }

    private static void simulate(Random random) {
        Collection collection = new Collection(new Random(random.nextLong()));
        Mirror mirror = new Mirror();
        WatchPace pace = new WatchPace(
                Duration.ofSeconds(20),
                Duration.ofMillis(1),
                Duration.ofMillis(5),
                () -> new Random(1));
        try (ScriptedServer server = new ScriptedServer(PKI);
                HttpKubeClient client = new HttpKubeClient(server.config(), pace)) {
            server.otherwise = collection::answer;
            client.watch(
                    new GroupVersionResource("", "v1", "configmaps"),
                    ListOptions.ALL,
                    new TreeDecoder(),
                    mirror);
            for (int i = 0; i < CHANGES; i++) {
                collection.change();
                int requests = server.requests.size();
                await().pollInterval(Duration.ofMillis(1))
                        .until(() -> server.requests.size() > requests);
            }
            collection.faults = false;
            await().untilAsserted(() -> {
                assertThat(mirror.copy()).isEqualTo(collection.copy());
                assertThat(mirror.synced()).isPositive();
            });
            assertThat(mirror.complaints).isEmpty();
        } catch (Exception e) {
            throw new AssertionError("the simulation itself failed", e);
        }
    }

    /** What the listener believes. */
    private static final class Mirror implements WatchListener<ObjectNode> {
        private final Map<String, Integer> objects = new TreeMap<>();
        private final Map<String, Integer> newest = new HashMap<>();
        private final List<String> complaints = new ArrayList<>();
        private int synced;

        @Override
        public synchronized void onUpsert(ObjectNode tree) {
            KubeObject object = KubeObject.of(tree);
            int version = Integer.parseInt(object.resourceVersion());
            Integer before = newest.put(object.name(), version);
            if (before != null && before >= version) {
                complaints.add(object.name() + " went from " + before + " to " + version);
            }
            objects.put(object.name(), version);
        }

        @Override
        public synchronized void onDelete(NamespacedName name) {
            if (objects.remove(name.name()) == null) {
                complaints.add(name + " deleted twice");
            }
        }

        @Override
        public synchronized void onSynced() {
            synced++;
        }

        @Override
        public void onProblem(String problem) {
            assertThat(problem).isNotBlank();
        }

        synchronized Map<String, Integer> copy() {
            return new TreeMap<>(objects);
        }

        synchronized int synced() {
            return synced;
        }
    }

    /** Objects with versions, a history that is forgotten from time to time, and a server's way to tell of it. */
    private static final class Collection {
        private static final Pattern FROM = Pattern.compile("resourceVersion=(\\d+)");

        /** One line of the history. */
        private record Change(int version, String line) {}

        private final Random random;
        private final Map<String, Integer> objects = new TreeMap<>();
        private final List<Change> history = new ArrayList<>();
        private int revision = 1;
        private int forgotten;
        private volatile boolean faults = true;

        Collection(Random random) {
            this.random = random;
        }

        synchronized void change() {
            revision++;
            String name = "o" + random.nextInt(12);
            boolean exists = objects.containsKey(name);
            if (exists && random.nextBoolean()) {
                objects.remove(name);
                history.add(new Change(revision, event("DELETED", name, revision)));
            } else {
                objects.put(name, revision);
                history.add(
                        new Change(revision, event(exists ? "MODIFIED" : "ADDED", name, revision)));
            }
            if (random.nextInt(15) == 0) {
                forgotten = revision - random.nextInt(3);
            }
        }

        synchronized Map<String, Integer> copy() {
            return new TreeMap<>(objects);
        }

        synchronized Answer answer(Request request) {
            String right = request.isWatch() ? watch(request.uri()) : list();
            if (!faults || random.nextInt(3) > 0) {
                return new Answer(right, false);
            }
            return switch (random.nextInt(7)) {
                case 0 -> new Answer("", true);
                case 1 -> new Answer(whole(500, "oops"), false);
                case 2 -> new Answer(whole(429, "{}"), random.nextBoolean());
                case 3 -> new Answer("\u0001\u0002 garbage\r\n\r\n", true);
                case 4 -> new Answer(whole(200, "{}"), false);
                case 5 ->
                    new Answer(
                            whole(request.uri().contains("sendInitial") ? 422 : 410, "{}"), false);
                default -> new Answer(right.substring(0, random.nextInt(right.length())), true);
            };
        }

        private String watch(String uri) {
            List<String> lines = new ArrayList<>();
            Matcher from = FROM.matcher(uri);
            if (uri.contains("sendInitialEvents")) {
                objects.forEach((name, version) -> lines.add(event("ADDED", name, version)));
                lines.add("{\"type\":\"BOOKMARK\",\"object\":{\"metadata\":{\"resourceVersion\":\""
                        + revision
                        + "\",\"annotations\":{\"k8s.io/initial-events-end\":\"true\"}}}}");
            } else if (from.find() && Integer.parseInt(from.group(1)) >= forgotten) {
                int start = Integer.parseInt(from.group(1));
                history.stream()
                        .filter(change -> change.version > start)
                        .forEach(change -> lines.add(change.line));
                lines.add("{\"type\":\"BOOKMARK\",\"object\":{\"metadata\":{\"resourceVersion\":\""
                        + revision + "\"}}}");
            } else {
                lines.add(
                        "{\"type\":\"ERROR\",\"object\":{\"code\":410,\"reason\":\"Expired\",\"message\":\"gone\"}}");
            }
            return ScriptedServer.streamHead() + ScriptedServer.chunks(lines.toArray(String[]::new))
                    + "0\r\n\r\n";
        }

        private String list() {
            List<String> items = new ArrayList<>();
            objects.forEach((name, version) -> items.add(object(name, version)));
            return whole(
                    200,
                    "{\"metadata\":{\"resourceVersion\":\"" + revision + "\"},\"items\":["
                            + String.join(",", items) + "]}");
        }

        private static String whole(int code, String body) {
            return "HTTP/1.1 " + code + " X\r\nContent-Length: " + body.length() + "\r\n\r\n"
                    + body;
        }

        private static String event(String type, String name, int version) {
            return "{\"type\":\"" + type + "\",\"object\":" + object(name, version) + "}";
        }

        private static String object(String name, int version) {
            return "{\"metadata\":{\"name\":\"" + name
                    + "\",\"namespace\":\"d\",\"resourceVersion\":\"" + version + "\"}}";
        }
    }
}
