package io.sluice.api.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.sluice.api.client.ScriptedServer.Answer;
import io.sluice.api.client.ScriptedServer.Request;
import io.sluice.api.meta.GroupVersionResource;
import io.sluice.api.meta.NamespacedName;
import io.sluice.api.model.EndpointSlice;
import io.sluice.api.model.EndpointSliceDecoder;
import io.sluice.api.model.Service;
import io.sluice.api.model.ServiceDecoder;
import io.sluice.api.model.TreeDecoder;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;

/** Watches against a server that plays a script, over real sockets and TLS. */
class WatchTest {
    private static final TestPki PKI = new TestPki();

    static {
        Awaitility.setDefaultTimeout(Duration.ofSeconds(60)); // for machines with much else to do
    }

    private static final GroupVersionResource SERVICES =
            new GroupVersionResource("", "v1", "services");

    private final Recorder seen = new Recorder();
    private ScriptedServer server;
    private HttpKubeClient client;

    @BeforeEach
    void start() throws Exception {
        server = new ScriptedServer(PKI);
        client = client(Duration.ofSeconds(60));
    }

    private HttpKubeClient client(Duration silence) {
        return new HttpKubeClient(
                server.config(),
                new WatchPace(
                        silence, Duration.ofMillis(2), Duration.ofMillis(20), () -> new Random(1)));
    }

    @AfterEach
    void stop() {
        client.close();
        server.close();
    }

    /** What a listener is told, as one line each; problems apart. */
    private static class Recorder implements WatchListener<Service> {
        final List<String> events = new CopyOnWriteArrayList<>();
        final List<String> problems = new CopyOnWriteArrayList<>();

        @Override
        public void onUpsert(Service object) {
            events.add("+" + object.name().name() + object.ports().size());
        }

        @Override
        public void onDelete(NamespacedName name) {
            events.add("-" + name.name());
        }

        @Override
        public void onSynced() {
            events.add("synced");
        }

        @Override
        public void onProblem(String problem) {
            problems.add(problem);
        }
    }

    private KubeClient.Watch watch() {
        return client.watch(SERVICES, ListOptions.ALL, new ServiceDecoder(), seen);
    }

    private void expect(String... events) {
        await().untilAsserted(() -> assertThat(seen.events).containsExactly(events));
    }

    private static String object(String name, int version, int ports) {
        String list = String.join(
                ",",
                IntStream.range(0, ports)
                        .mapToObj(i -> "{\"port\":" + (i + 1) + "}")
                        .toList());
        return "{\"metadata\":{\"name\":\"" + name + "\",\"namespace\":\"d\",\"resourceVersion\":\""
                + version + "\"},\"spec\":{\"ports\":[" + list + "]}}";
    }

    private static String event(String type, String object) {
        return "{\"type\":\"" + type + "\",\"object\":" + object + "}";
    }

    private static String added(String name, int version, int ports) {
        return event("ADDED", object(name, version, ports));
    }

    private static String bookmark(int version) {
        return event(
                "BOOKMARK",
                "{\"kind\":\"Service\",\"metadata\":{\"resourceVersion\":\"" + version + "\"}}");
    }

    private static String initialEnd(int version) {
        return event(
                "BOOKMARK",
                "{\"metadata\":{\"resourceVersion\":\"" + version
                        + "\",\"annotations\":{\"k8s.io/initial-events-end\":\"true\"}}}");
    }

    private static String error(int code, String reason) {
        return event(
                "ERROR",
                "{\"kind\":\"Status\",\"code\":" + code + ",\"reason\":\"" + reason
                        + "\",\"message\":\"because\"}");
    }

    private static String list(int version, String... objects) {
        return "{\"kind\":\"ServiceList\",\"metadata\":{\"resourceVersion\":\"" + version
                + "\"},\"items\":[" + String.join(",", objects) + "]}";
    }

    @Test
    void followsAStreamingList() {
        server.thenStream(
                added("a", 1, 1),
                added("b", 2, 0),
                initialEnd(5),
                event("MODIFIED", object("a", 6, 2)),
                event("DELETED", object("b", 7, 0)),
                bookmark(9));
        watch();

        expect("+a1", "+b0", "synced", "+a2", "-b");
        assertThat(server.uris())
                .singleElement()
                .asString()
                .startsWith(
                        "/api/v1/services?watch=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan"
                                + "&allowWatchBookmarks=true&timeoutSeconds=");
        assertThat(seen.problems).isEmpty();
    }

    @Test
    void resumesAfterTheLastBookmark() {
        server.thenEndedStream(added("a", 1, 1), initialEnd(5), bookmark(9))
                .thenStream(added("c", 10, 0));
        watch();

        expect("+a1", "synced", "+c0");
        assertThat(server.uris().get(1))
                .startsWith(
                        "/api/v1/services?watch=true&resourceVersion=9&allowWatchBookmarks=true&timeoutSeconds=");
        assertThat(seen.problems).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(ints = {400, 405, 406, 415, 422})
    void fallsBackToAListWhereTheServerKnowsNoStreamingList(int code) {
        server.then(
                        code,
                        "{\"code\":" + code
                                + ",\"reason\":\"Invalid\",\"message\":\"sendInitialEvents is forbidden\"}")
                .then(200, list(5, object("a", 1, 1)))
                .thenStream(added("b", 6, 0));
        watch();

        expect("+a1", "synced", "+b0");
        assertThat(server.uris().get(1)).isEqualTo("/api/v1/services?limit=500");
        assertThat(server.uris().get(2)).contains("resourceVersion=5&");
        assertThat(seen.problems).isEmpty();
    }

    @Test
    void fallsBackWhereTheRefusalComesAsAnEvent() {
        server.thenEndedStream(error(422, "Invalid"))
                .then(200, list(5, object("a", 1, 1)))
                .thenStream();
        watch();

        expect("+a1", "synced");
    }

    @Test
    void listsInPages() {
        server.then(422, "{}")
                .then(
                        200,
                        "{\"metadata\":{\"resourceVersion\":\"5\",\"continue\":\"next=\"},\"items\":["
                                + object("a", 1, 1) + "]}")
                .then(
                        200,
                        "{\"items\":[" + object("b", 2, 0)
                                + "],\"metadata\":{\"resourceVersion\":\"5\"}}")
                .thenStream();
        watch();

        expect("+a1", "+b0", "synced");
        assertThat(server.uris().get(2)).isEqualTo("/api/v1/services?limit=500&continue=next%3D");
    }

    @Test
    void takesAListWithoutItems() {
        server.then(422, "{}")
                .then(200, "{\"metadata\":{\"resourceVersion\":\"5\"},\"items\":null}")
                .thenStream(added("b", 6, 0));
        watch();

        expect("synced", "+b0");
    }

    @Test
    void listsAgainWhenHistoryIsGoneByStatus() {
        server.thenEndedStream(added("a", 1, 1), added("b", 2, 0), initialEnd(5), bookmark(6))
                .then(410, "{\"code\":410,\"reason\":\"Expired\",\"message\":\"too old\"}")
                .thenStream(added("b", 2, 0), added("c", 8, 0), initialEnd(9));
        watch();

        expect("+a1", "+b0", "synced", "+c0", "-a", "synced");
        assertThat(seen.problems)
                .singleElement()
                .asString()
                .contains("history is no longer held")
                .contains("too old");
    }

    @Test
    void listsAgainWhenHistoryIsGoneByEvent() {
        server.thenStream(added("a", 1, 1), initialEnd(5), error(410, "Expired"))
                .thenStream(added("a", 7, 2), initialEnd(9));
        watch();

        expect("+a1", "synced", "+a2", "synced");
        assertThat(server.uris().get(1)).contains("sendInitialEvents");
        await().until(() -> server.openConnections() == 1);
    }

    @Test
    void listsAgainWhenAPageTokenIsGone() {
        server.then(422, "{}")
                .then(
                        200,
                        "{\"metadata\":{\"resourceVersion\":\"5\",\"continue\":\"x\"},\"items\":["
                                + object("a", 1, 1) + "]}")
                .then(410, "{\"reason\":\"Expired\"}")
                .then(200, list(8, object("b", 6, 0)))
                .thenStream();
        watch();

        expect("+a1", "+b0", "-a", "synced");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "HTTP/1.1 500 X\r\nContent-Length: 4\r\n\r\noops",
                "HTTP/1.1 429 X\r\nContent-Length: 0\r\n\r\n",
                "HTTP/1.1 401 X\r\nContent-Length: 0\r\n\r\n",
                "HTTP/1.1 403 X\r\nContent-Length: 0\r\n\r\n",
                "HTTP/1.1 404 X\r\nContent-Length: 0\r\n\r\n",
                "HTTP/1.1 302 X\r\nContent-Length: 0\r\n\r\n",
                "\u0000\u0007 garbage \r\n\r\n\r\n",
                "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n",
                "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
                "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n<html\r\n0\r\n\r\n",
                "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\n{}\n\r\n0\r\n\r\n",
                "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\n[]\n\r\n0\r\n\r\n",
                "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n8\r\n{\"type\":\r\n0\r\n\r\n",
                "HTTP/1.1 200 OK\r\nContent-Length: 33\r\n\r\n{\"type\":\"MAGIC\",\"object\":{\"a\":1}}",
                "HTTP/1.1 200 OK\r\nContent-Length: 32\r\n\r\n{\"type\":\"DELETED\",\"object\":null}\n",
                "HTTP/1.1 200 OK\r\nContent-Length: 27\r\n\r\n{\"type\":5,\"object\":{\"a\":1}}",
            })
    void survivesWhateverComesAtTheStartAndInBetween(String bytes) {
        Answer broken = new Answer(bytes, true);
        server.then(broken)
                .then(broken)
                .thenEndedStream(added("a", 1, 1), initialEnd(5))
                .then(broken)
                .then(broken)
                .thenStream(added("b", 6, 0));
        watch();

        expect("+a1", "synced", "+b0");
        assertThat(seen.problems)
                .isNotEmpty()
                .allSatisfy(problem -> assertThat(problem)
                        .startsWith("watch of services: ")
                        .contains("trying again in"));
        assertThat(server.watches().getLast().uri()).contains("resourceVersion=5&");
    }

    @Test
    void triesAPlainListWhereStreamingListsKeepFailing() {
        server.then(500, "{}")
                .then(500, "{}")
                .then(500, "{}")
                .then(200, list(5, object("a", 1, 1)))
                .thenStream();
        watch();

        expect("+a1", "synced");
        assertThat(server.uris().get(3)).isEqualTo("/api/v1/services?limit=500");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{}",
                "{\"metadata\":{}}",
                "{\"items\":[]}",
                "{\"kind\":\"Status\",\"metadata\":{},\"items\":null}"
            })
    void forgetsNothingForAnAnswerThatIsNoList(String answer) {
        server.then(422, "{}")
                .then(200, list(5, object("a", 1, 1)))
                .then(410, "{}")
                .then(200, answer)
                .then(200, list(9, object("a", 1, 1)))
                .thenStream(added("b", 10, 0));
        watch();

        expect("+a1", "synced", "synced", "+b0");
        assertThat(seen.problems).hasSize(2);
    }

    @Test
    void survivesAListThatBreaksOffAndForgetsNothing() {
        String cut = list(8, object("a", 1, 1), object("b", 7, 0));
        server.then(422, "{}")
                .then(200, list(5, object("a", 1, 1), object("c", 2, 0)))
                .then(410, "{}")
                .then(new Answer(
                        "HTTP/1.1 200 OK\r\nContent-Length: 9999\r\n\r\n"
                                + cut.substring(0, cut.length() - 4),
                        true))
                .then(200, list(9, object("b", 7, 0), object("c", 2, 0)))
                .thenStream();
        watch();

        expect("+a1", "+c0", "synced", "+b0", "-a", "synced");
    }

    @Test
    void survivesAStreamCutWithinAnEvent() {
        String half = added("b", 6, 0).substring(0, 40);
        server.then(new Answer(
                        ScriptedServer.streamHead()
                                + ScriptedServer.chunks(added("a", 1, 1), initialEnd(5))
                                + Integer.toHexString(half.length()) + "\r\n" + half + "\r\n",
                        true))
                .thenStream(added("b", 6, 0));
        watch();

        expect("+a1", "synced", "+b0");
        assertThat(server.uris().get(1)).contains("resourceVersion=5&");
    }

    @Test
    void startsAnewWhenTheInitialStreamBreaksOff() {
        server.then(new Answer(
                        ScriptedServer.streamHead()
                                + ScriptedServer.chunks(added("a", 1, 1), added("b", 2, 0)),
                        true))
                .thenStream(added("b", 2, 0), initialEnd(9));
        watch();

        expect("+a1", "+b0", "-a", "synced");
    }

    @Test
    void noticesAStreamThatFellSilent() {
        client.close();
        client = client(Duration.ofMillis(300));
        server.thenStream(added("a", 1, 1), initialEnd(5)).thenStream(added("b", 6, 0));
        watch();

        await().until(() -> seen.events.contains("+b0"));
        assertThat(seen.problems).first().asString().contains("nothing arrived");
        await().until(() -> server.requests.getFirst().channel().isActive(), active -> !active);
    }

    @Test
    void passesOverAMalformedObjectAndSaysWhich() {
        server.thenStream(
                event("ADDED", "{\"metadata\":{\"resourceVersion\":\"3\"}}"),
                event(
                        "ADDED",
                        "{\"metadata\":{\"name\":\"bad\",\"namespace\":\"d\",\"resourceVersion\":\"4\"},"
                                + "\"spec\":{\"externalIPs\":[\"oops\"]}}"),
                added("a", 1, 1),
                initialEnd(5));
        watch();

        expect("+bad0", "+a1", "synced");
        assertThat(seen.problems)
                .containsExactly(
                        "Service without a name passed over",
                        "Service d/bad: externalIPs \"oops\" is no IP address; passed over");
    }

    @Test
    void survivesAListenerThatFailsAndTellsItAgain() {
        List<String> told = new CopyOnWriteArrayList<>();
        WatchListener<Service> touchy = new WatchListener<>() {
            @Override
            public void onUpsert(Service object) {
                told.add(object.name().name());
                if (told.size() == 2) {
                    throw new IllegalStateException("not now");
                }
            }

            @Override
            public void onDelete(NamespacedName name) {
                told.add("-" + name.name());
            }

            @Override
            public void onSynced() {
                told.add("synced");
            }

            @Override
            public void onProblem(String problem) {
                seen.problems.add(problem);
            }
        };
        server.thenStream(added("a", 1, 0), added("b", 2, 0), initialEnd(5))
                .thenStream(added("a", 1, 0), added("b", 2, 0), initialEnd(5));
        client.watch(SERVICES, ListOptions.ALL, new ServiceDecoder(), touchy);

        await().untilAsserted(() -> assertThat(told).containsExactly("a", "b", "b", "synced"));
        assertThat(seen.problems).singleElement().asString().contains("not now");
    }

    @Test
    void slowsTheServerDownForASlowListener() throws Exception {
        CountDownLatch blocked = new CountDownLatch(1);
        CountDownLatch release = new CountDownLatch(1);
        Recorder slow = new Recorder() {
            @Override
            public void onUpsert(Service object) {
                blocked.countDown();
                try {
                    release.await();
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                }
                super.onUpsert(object);
            }
        };
        server.thenStream(added("a", 1, 0));
        client.watch(SERVICES, ListOptions.ALL, new ServiceDecoder(), slow);
        blocked.await();

        // Far more than sockets and the bounded queue hold: the server cannot get rid of it while
        // the listener blocks.
        Request watch = server.watches().getFirst();
        int count = 4_000;
        String padding = "x".repeat(10_000);
        var written = new CopyOnWriteArrayList<Integer>();
        for (int i = 0; i < count; i++) {
            int number = i;
            String line = event(
                    "ADDED",
                    object("o" + i, i + 2, 0)
                            .replace("\"spec\"", "\"pad\":\"" + padding + "\",\"spec\""));
            watch.channel()
                    .writeAndFlush(io.netty.buffer.Unpooled.copiedBuffer(
                            ScriptedServer.chunks(line), java.nio.charset.StandardCharsets.UTF_8))
                    .addListener(done -> written.add(number));
        }
        await().during(Duration.ofMillis(500)).until(written::size, new Steady());

        assertThat(written).hasSizeLessThan(count);

        release.countDown();
        await().until(() -> slow.events.size() == count + 1);
    }

    /** Matches while a number does not change. */
    private static final class Steady extends org.hamcrest.TypeSafeMatcher<Integer> {
        private int last = -1;

        @Override
        protected boolean matchesSafely(Integer value) {
            boolean same = value == last;
            last = value;
            return same;
        }

        @Override
        public void describeTo(org.hamcrest.Description description) {
            description.appendText("a number that stays");
        }
    }

    @Test
    void closesOnceAndForAll() throws Exception {
        server.thenStream(added("a", 1, 0), initialEnd(5));
        KubeClient.Watch watch = watch();
        expect("+a0", "synced");
        watch.close();
        watch.close();
        server.send(server.watches().getFirst(), ScriptedServer.chunks(added("b", 6, 0)));

        await().until(() -> server.openConnections() == 0);
        assertThat(seen.events).containsExactly("+a0", "synced");
        assertThat(seen.problems).isEmpty();
        assertThat(server.requests).hasSize(1);
    }

    @Test
    void canBeClosedByItsOwnListener() {
        var watch = new java.util.concurrent.CompletableFuture<KubeClient.Watch>();
        Recorder closing = new Recorder() {
            @Override
            public void onSynced() {
                super.onSynced();
                watch.join().close();
            }
        };
        server.thenStream(initialEnd(5), added("a", 6, 0));
        watch.complete(client.watch(SERVICES, ListOptions.ALL, new ServiceDecoder(), closing));

        await().until(() -> server.openConnections() == 0);
        assertThat(closing.events).containsExactly("synced");
    }

    @Test
    void endsWithItsClientWhileItWaits() {
        server.then(500, "{}");
        watch();
        await().until(() -> !seen.problems.isEmpty());
        client.close();

        await().until(() -> server.openConnections() == 0);
    }

    @Test
    void takesFiftyThousandEndpointsInOneList() {
        int slices = 500;
        int each = 100;
        String endpoint =
                "{\"addresses\":[\"10.0.0.1\"],\"nodeName\":\"n\",\"conditions\":{\"ready\":true}}";
        String endpoints = String.join(",", Collections.nCopies(each, endpoint));
        String[] objects = IntStream.range(0, slices)
                .mapToObj(i -> "{\"metadata\":{\"name\":\"s" + i
                        + "\",\"namespace\":\"d\",\"resourceVersion\":\"" + (i + 1)
                        + "\"},\"addressType\":\"IPv4\",\"endpoints\":[" + endpoints + "]}")
                .toArray(String[]::new);
        AtomicInteger count = new AtomicInteger();
        CountDownLatch synced = new CountDownLatch(1);
        server.then(422, "{}").then(200, list(slices, objects)).thenStream();
        client.watch(SERVICES, ListOptions.ALL, new EndpointSliceDecoder(), new WatchListener<>() {
            @Override
            public void onUpsert(EndpointSlice slice) {
                count.addAndGet(slice.endpoints().size());
            }

            @Override
            public void onDelete(NamespacedName name) {
                seen.events.add("-" + name);
            }

            @Override
            public void onSynced() {
                synced.countDown();
            }

            @Override
            public void onProblem(String problem) {
                seen.problems.add(problem);
            }
        });

        await().until(() -> synced.getCount() == 0);
        assertThat(count).hasValue(slices * each);
        assertThat(seen.problems).isEmpty();
    }

    @Test
    void followsTreesToo() {
        List<String> names = new CopyOnWriteArrayList<>();
        server.then(422, "{}")
                .then(200, list(5, object("a", 1, 0), object("b", 2, 0)))
                .thenStream(added("c", 6, 0), bookmark(7));
        client.watch(
                SERVICES, ListOptions.inNamespace("d"), new TreeDecoder(), new WatchListener<>() {
                    @Override
                    public void onUpsert(com.fasterxml.jackson.databind.node.ObjectNode object) {
                        names.add(object.path("metadata").path("name").asText());
                    }

                    @Override
                    public void onDelete(NamespacedName name) {
                        names.add("-" + name);
                    }

                    @Override
                    public void onSynced() {
                        names.add("synced");
                    }

                    @Override
                    public void onProblem(String problem) {
                        names.add(problem);
                    }
                });

        await().untilAsserted(() -> assertThat(names).containsExactly("a", "b", "synced", "c"));
        assertThat(server.uris().get(1)).isEqualTo("/api/v1/namespaces/d/services?limit=500");
    }
}
