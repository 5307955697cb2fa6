package io.sluice.apiserver;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

import io.sluice.api.object.Json;
import io.sluice.apiserver.RunningServer.Answer;
import io.sluice.apiserver.RunningServer.Caller;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.BufferedReader;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.zip.GZIPInputStream;

/** The whole server over real HTTPS. */
class ApiServerTest {
    private static final String MAPS = "/api/v1/namespaces/default/configmaps";
    private static final String TABLE = "application/json;as=Table;v=v1;g=meta.k8s.io";

    @TempDir
    static Path directory;

    private static RunningServer server;
    private static Caller admin;

    @BeforeAll
    static void start() throws IOException {
        server = RunningServer.start(directory);
        admin = server.admin();
    }

    @AfterAll
    static void stop() {
        admin.close();
        server.close();
    }

    private static String map(String name, String more) {
        return "{\"kind\":\"ConfigMap\",\"apiVersion\":\"v1\",\"metadata\":{\"name\":\"" + name
                + "\"" + more + "},\"data\":{\"a\":\"1\"}}";
    }

    private static String version(Answer answer) {
        return answer.json().path("metadata").path("resourceVersion").asText();
    }

    @ParameterizedTest
    @EnumSource(HttpClient.Version.class)
    void speaksBothVersionsOfHttp(HttpClient.Version version) {
        if (version != HttpClient.Version.HTTP_1_1 && version != HttpClient.Version.HTTP_2) {
            return;
        }
        try (Caller caller = server.as("admin", version)) {
            for (int i = 0; i < 3; i++) {
                Answer answer = caller.get("/version");
                assertThat(answer.whole().version()).isEqualTo(version);
                assertThat(answer.json().path("gitVersion").asText())
                        .isEqualTo("v1.36.2+sluice.test");
            }
        }
    }

    @ParameterizedTest
    @CsvSource({
        "/livez, 200",
        "/readyz, 200",
        "/healthz, 200",
        "/livez/ping, 200",
        "/version, 401",
        "/api, 401",
        "/metrics, 401",
        "/api/v1/namespaces, 401",
        "/nothing, 401"
    })
    void showsAnonymousNothingButHealth(String path, int code) {
        try (Caller anonymous = server.as("", HttpClient.Version.HTTP_2)) {
            Answer answer = anonymous.get(path);
            assertThat(answer.code()).isEqualTo(code);
            if (code == 401) {
                assertThat(answer.json().path("reason").asText()).isEqualTo("Unauthorized");
            }
            assertThat(anonymous.get(path, "Authorization", "Bearer x.y.z").code())
                    .isEqualTo(401);
        }
    }

    @Test
    void saysWhichPartsAreWell() {
        assertThat(admin.get("/readyz?verbose&exclude=etcd").body())
                .contains("[+]ping ok\n", "[+]etcd excluded: ok\n", "readyz check passed");
        assertThat(admin.get("/readyz/etcd").body()).isEqualTo("ok");
        assertThat(admin.get("/readyz/unknown").code()).isEqualTo(404);
        assertThat(admin.get("/metrics").body())
                .contains("apiserver_storage_objects{resource=\"namespaces\"} ");
    }

    @Test
    void keepsSecretsFromOthers() throws IOException {
        for (String file : List.of("admin.kubeconfig", "pki/ca.key", "pki/apiserver.key")) {
            assertThat(PosixFilePermissions.toString(
                            Files.getPosixFilePermissions(directory.resolve(file))))
                    .isEqualTo("rw-------");
        }
    }

    @Test
    void bootstrapsWhatEveryClusterHas() {
        List<String> names = new ArrayList<>();
        admin.get("/api/v1/namespaces")
                .json()
                .path("items")
                .forEach(item -> names.add(item.path("metadata").path("name").asText()));
        assertThat(names).contains("default", "kube-system", "kube-public", "kube-node-lease");
        ObjectNode service =
                admin.get("/api/v1/namespaces/default/services/kubernetes").json();
        assertThat(service.path("spec").path("clusterIP").asText()).isEqualTo("10.96.0.1");
        ObjectNode slice = admin.get(
                        "/apis/discovery.k8s.io/v1/namespaces/default/endpointslices/kubernetes")
                .json();
        assertThat(slice.path("endpoints").path(0).path("addresses").path(0).asText())
                .isEqualTo("192.0.2.10");
        assertThat(slice.path("ports").path(0).path("port").asInt())
                .isEqualTo(server.server().port());
    }

    @Test
    void keepsTheServiceRangeAsItIs() {
        String path = "/apis/networking.k8s.io/v1/servicecidrs/kubernetes";
        ObjectNode range = admin.get(path).json();
        assertThat(range.path("spec").path("cidrs").toString()).isEqualTo("[\"10.96.0.0/16\"]");
        try (Caller proxy = server.as("kube-proxy", HttpClient.Version.HTTP_2)) {
            assertThat(proxy.get("/apis/networking.k8s.io/v1/servicecidrs").code())
                    .isEqualTo(200);
        }
        range.withObject("/spec").putArray("cidrs").add("10.97.0.0/16");
        Answer refused = admin.call("PUT", path, range.toString());
        assertThat(refused.code()).isEqualTo(422);
        assertThat(refused.json().path("message").asText())
                .contains("spec.cidrs[0]", "field is immutable");
    }

    @Test
    void letsComponentsDoTheirWorkAndNoMore() {
        try (Caller proxy = server.as("kube-proxy", HttpClient.Version.HTTP_2)) {
            assertThat(proxy.get("/api/v1/services").code()).isEqualTo(200);
            Answer refused = proxy.get("/api/v1/namespaces/default/secrets/x");
            assertThat(refused.code()).isEqualTo(403);
            assertThat(refused.json().path("message").asText())
                    .isEqualTo("secrets \"x\" is forbidden: User \"system:kube-proxy\" cannot get"
                            + " resource \"secrets\" in API group \"\" in the namespace"
                            + " \"default\"");
            assertThat(proxy.post(MAPS, map("no", "")).code()).isEqualTo(403);
        }
    }

    @Test
    void takesTokensOfServiceAccountsUntilTheyAreDeleted() {
        admin.post(
                "/api/v1/namespaces/default/serviceaccounts", "{\"metadata\":{\"name\":\"me\"}}");
        String path = "/api/v1/namespaces/default/serviceaccounts/me";
        Answer issued = admin.post(path + "/token", "{\"spec\":{\"expirationSeconds\":600}}");
        assertThat(issued.code()).isEqualTo(201);
        String token = "Bearer " + issued.json().path("status").path("token").asText();
        try (Caller bearer = server.as("", HttpClient.Version.HTTP_2)) {
            assertThat(bearer.get("/version", "Authorization", token).code()).isEqualTo(200);
            assertThat(bearer.get(MAPS, "Authorization", token).code()).isEqualTo(403);
            assertThat(bearer.get("/version", "Authorization", token + "x").code())
                    .isEqualTo(401);
            admin.call("DELETE", path, "");
            await().until(() -> bearer.get("/version", "Authorization", token).code() == 401);
        }
        assertThat(admin.post(path + "/token", "{\"spec\":{\"expirationSeconds\":5}}")
                        .code())
                .isEqualTo(404);
    }

    @Test
    void refusesCertificatesOfOthers(@TempDir Path other) throws IOException {
        try (RunningServer second = RunningServer.start(other)) {
            HttpClient stranger =
                    HttpClient.newBuilder().sslContext(mixedTls(second)).build();
            try (Caller caller = server.new Caller(stranger)) {
                assertThat(caller.get("/version").code()).isEqualTo(401);
            }
        }
    }

    /** Trusts this server, and shows the other one's administrator. */
    private static javax.net.ssl.SSLContext mixedTls(RunningServer other) throws IOException {
        Path mixed = Files.createDirectories(directory.resolve("mixed/pki"));
        Files.copy(directory.resolve("pki/ca.crt"), mixed.resolve("ca.crt"));
        for (String file : List.of("admin.crt", "admin.key")) {
            Files.copy(other.directory().resolve("pki/" + file), mixed.resolve(file));
        }
        return RunningServer.tls(mixed.getParent(), "admin");
    }

    @Test
    void createsReadsUpdatesAndDeletes() {
        Answer created = admin.post(MAPS, map("crud", ""));
        assertThat(created.code()).isEqualTo(201);
        assertThat(created.json().path("metadata").path("uid").asText()).isNotEmpty();
        assertThat(admin.post(MAPS, map("crud", "")).json().path("message").asText())
                .isEqualTo("configmaps \"crud\" already exists");
        Answer read = admin.get(MAPS + "/crud");
        assertThat(read.json()).isEqualTo(created.json());
        ObjectNode changed = read.json();
        changed.withObject("/data").put("a", "2");
        Answer updated = admin.call("PUT", MAPS + "/crud", changed.toString());
        assertThat(updated.code()).isEqualTo(200);
        assertThat(admin.call("PUT", MAPS + "/crud", changed.toString())
                        .json()
                        .path("message")
                        .asText())
                .isEqualTo("Operation cannot be fulfilled on configmaps \"crud\": the object has"
                        + " been modified; please apply your changes to the latest version and try"
                        + " again");
        assertThat(version(admin.call("PUT", MAPS + "/crud", updated.body())))
                .as("an update that changes nothing writes nothing")
                .isEqualTo(version(updated));
        String stale = "{\"preconditions\":{\"resourceVersion\":\"" + version(created) + "\"}}";
        assertThat(admin.call("DELETE", MAPS + "/crud", stale).code()).isEqualTo(409);
        Answer deleted = admin.call("DELETE", MAPS + "/crud", "");
        assertThat(deleted.json().path("status").asText()).isEqualTo("Success");
        assertThat(admin.get(MAPS + "/crud").json().path("message").asText())
                .isEqualTo("configmaps \"crud\" not found");
    }

    @ParameterizedTest
    @CsvSource({
        "application/merge-patch+json, '{\"data\":{\"b\":\"2\",\"a\":null}}'",
        "application/strategic-merge-patch+json, '{\"data\":{\"b\":\"2\",\"a\":null}}'",
        "application/json-patch+json, '[{\"op\":\"remove\",\"path\":\"/data/a\"},{\"op\":\"add\",\"path\":\"/data/b\",\"value\":\"2\"}]'"
    })
    void patches(String type, String patch) {
        String name = "p" + type.hashCode();
        admin.post(MAPS, map(name.replace("-", "m"), ""));
        Answer patched = admin.call(
                "PATCH", MAPS + '/' + name.replace("-", "m"), patch, "Content-Type", type);
        assertThat(patched.json().path("data").toString()).isEqualTo("{\"b\":\"2\"}");
    }

    @Test
    void saysThatServerSideApplyIsNotThere() {
        Answer answer = admin.call(
                "PATCH", MAPS + "/x", "{}", "Content-Type", "application/apply-patch+yaml");
        assertThat(answer.code()).isEqualTo(415);
        assertThat(answer.json().path("message").asText()).contains("server-side apply");
    }

    @Test
    void changesNothingInADryRun() {
        Answer dry = admin.post(MAPS + "?dryRun=All", map("dry", ""));
        assertThat(dry.code()).isEqualTo(201);
        assertThat(admin.get(MAPS + "/dry").code()).isEqualTo(404);
        admin.post(MAPS, map("dry", ""));
        assertThat(admin.post(MAPS + "?dryRun=All", map("dry", "")).code()).isEqualTo(409);
        admin.call("DELETE", MAPS + "/dry?dryRun=All", "");
        assertThat(admin.get(MAPS + "/dry").code()).isEqualTo(200);
        assertThat(admin.post(MAPS + "?dryRun=Some", map("other", "")).code()).isEqualTo(400);
    }

    @Test
    void warnsOfUnknownFieldsOrRefusesThem() {
        String body = map("fields", "").replace("\"data\"", "\"dota\":1,\"data\"");
        assertThat(admin.post(MAPS + "?fieldValidation=Strict", body)
                        .json()
                        .path("message")
                        .asText())
                .isEqualTo("ConfigMap in version \"v1\" cannot be handled as a ConfigMap: strict"
                        + " decoding error: unknown field \"dota\"");
        assertThat(admin.post(MAPS, body).whole().headers().firstValue("warning"))
                .contains("299 - \"unknown field \\\"dota\\\"\"");
    }

    @Test
    void generatesNames() {
        Set<String> names = new HashSet<>();
        for (int i = 0; i < 20; i++) {
            Answer answer = admin.post(MAPS, "{\"metadata\":{\"generateName\":\"g-\"}}");
            names.add(answer.json().path("metadata").path("name").asText());
        }
        assertThat(names).hasSize(20).allMatch(name -> name.matches("g-[a-z0-9]{5}"));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "GET|/api/v1/things||404",
                "GET|/apis/none/v1||404",
                "POST|/api/v1/namespaces/default/configmaps/x||405",
                "PUT|/api/v1/namespaces/default/configmaps|{}|405",
                "POST|/api/v1/configmaps|{}|405",
                "BREW|/api/v1/namespaces/default/configmaps||405",
                "POST|/version||405",
                "POST|/api/v1/namespaces/default/configmaps|{|400",
                "POST|/api/v1/namespaces/default/configmaps|[]|400",
                "POST|/api/v1/namespaces/default/configmaps|{\"kind\":\"Pod\"}|400",
                "POST|/api/v1/namespaces/default/configmaps|{\"metadata\":{\"namespace\":\"other\",\"name\":\"x\"}}|400",
                "POST|/api/v1/namespaces/default/configmaps|{\"metadata\":{}}|422",
                "POST|/api/v1/namespaces/missing/configmaps|{\"metadata\":{\"name\":\"x\"}}|404",
                "DELETE|/api/v1/namespaces/default||403",
                "GET|/api/v1/namespaces/default/configmaps?resourceVersion=999999999||504",
            })
    void refusesWithTheRightCode(String method, String path, String body, int code) {
        Answer answer = admin.call(method, path, body == null ? "" : body);
        assertThat(answer.code()).isEqualTo(code);
        assertThat(answer.json().path("kind").asText()).isEqualTo("Status");
        assertThat(answer.json().path("code").asInt()).isEqualTo(code);
    }

    @Test
    void refusesFormsItDoesNotSpeak() {
        assertThat(admin.get(MAPS, "Accept", "text/html").code()).isEqualTo(406);
        assertThat(admin.post(MAPS, "x", "Content-Type", "text/plain").code()).isEqualTo(415);
        assertThat(admin.post(MAPS, "k8s", "Content-Type", "application/vnd.kubernetes.protobuf")
                        .code())
                .isEqualTo(400);
        assertThat(admin.post(
                                MAPS,
                                "metadata:\n  name: yaml\ndata: {a: '1'}\n",
                                "Content-Type",
                                "application/yaml")
                        .code())
                .isEqualTo(201);
    }

    @Test
    void refusesBodiesThatAreTooLarge() {
        byte[] large = new byte[4 * 1024 * 1024];
        Answer answer = admin.call("POST", MAPS, large);
        assertThat(answer.code()).isEqualTo(413);
    }

    @Test
    void compressesLongListsForThoseWhoLikeIt() throws IOException {
        String namespace = "/api/v1/namespaces";
        admin.post(namespace, "{\"metadata\":{\"name\":\"long\"}}");
        String value = "x".repeat(20_000);
        for (int i = 0; i < 10; i++) {
            admin.post(
                    namespace + "/long/configmaps",
                    "{\"metadata\":{\"name\":\"m" + i + "\"},\"data\":{\"v\":\"" + value + "\"}}");
        }
        Answer plain = admin.get(namespace + "/long/configmaps");
        Answer zipped = admin.get(namespace + "/long/configmaps", "Accept-Encoding", "gzip");
        assertThat(zipped.whole().headers().firstValue("content-encoding")).contains("gzip");
        assertThat(zipped.whole().body().length).isLessThan(50_000);
        try (InputStream in =
                new GZIPInputStream(new ByteArrayInputStream(zipped.whole().body()))) {
            assertThat(Json.parseObject(in.readAllBytes())).isEqualTo(plain.json());
        }
        assertThat(plain.json().path("items").size()).isEqualTo(10);
    }

    @Test
    void showsTablesAndMetadata() {
        admin.post(MAPS, map("shown", ",\"labels\":{\"show\":\"me\"}"));
        ObjectNode table =
                admin.get(MAPS + "?labelSelector=show%3Dme", "Accept", TABLE).json();
        assertThat(table.path("kind").asText()).isEqualTo("Table");
        assertThat(table.path("rows").path(0).path("cells").path(0).asText()).isEqualTo("shown");
        assertThat(table.path("rows").path(0).path("object").path("kind").asText())
                .isEqualTo("PartialObjectMetadata");
        ObjectNode metadata = admin.get(
                        MAPS + "?labelSelector=show%3Dme",
                        "Accept",
                        "application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io")
                .json();
        assertThat(metadata.path("kind").asText()).isEqualTo("PartialObjectMetadataList");
        assertThat(metadata.path("items").path(0).has("data")).isFalse();
    }

    @Test
    void describesItself() {
        assertThat(admin.get("/api").json().path("versions").toString()).isEqualTo("[\"v1\"]");
        Answer aggregated = admin.get(
                "/apis",
                "Accept",
                "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,application/json");
        assertThat(aggregated.contentType())
                .isEqualTo("application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList");
        assertThat(aggregated.json().path("items").size()).isGreaterThan(1);
        String tag = aggregated.whole().headers().firstValue("etag").orElseThrow();
        assertThat(admin.get(
                                "/apis",
                                "Accept",
                                "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList",
                                "If-None-Match",
                                tag)
                        .code())
                .isEqualTo(304);
        assertThat(admin.get("/openapi/v3").json().path("paths").has("api/v1")).isTrue();
    }

    @Test
    void holdsObjectsUntilTheirFinalizersAreGone() {
        admin.post(MAPS, map("held", ",\"finalizers\":[\"x.io/y\"]"));
        Answer first = admin.call("DELETE", MAPS + "/held", "");
        assertThat(first.json().path("metadata").has("deletionTimestamp")).isTrue();
        assertThat(admin.get(MAPS + "/held").code()).isEqualTo(200);
        admin.call(
                "PATCH",
                MAPS + "/held",
                "{\"metadata\":{\"finalizers\":null}}",
                "Content-Type",
                "application/merge-patch+json");
        assertThat(admin.get(MAPS + "/held").code()).isEqualTo(404);
    }

    @Test
    void letsNamespacesGoOnlyWhenFinalized() {
        admin.post("/api/v1/namespaces", "{\"metadata\":{\"name\":\"going\"}}");
        ObjectNode going = admin.call("DELETE", "/api/v1/namespaces/going", "").json();
        assertThat(going.path("status").path("phase").asText()).isEqualTo("Terminating");
        Answer refused = admin.post("/api/v1/namespaces/going/configmaps", map("late", ""));
        assertThat(refused.code()).isEqualTo(403);
        assertThat(refused.json().path("message").asText())
                .isEqualTo("configmaps \"late\" is forbidden: unable to create new content in"
                        + " namespace going because it is being terminated");
        going.withObject("/spec").putArray("finalizers");
        assertThat(admin.call("PUT", "/api/v1/namespaces/going/finalize", going.toString())
                        .code())
                .isEqualTo(200);
        assertThat(admin.get("/api/v1/namespaces/going").code()).isEqualTo(404);
    }

    @Test
    void deletesCollectionsBySelector() {
        for (int i = 0; i < 5; i++) {
            admin.post(MAPS, map("many" + i, ",\"labels\":{\"many\":\"" + i % 2 + "\"}"));
        }
        admin.call("DELETE", MAPS + "?labelSelector=many%3D0", "");
        assertThat(admin.get(MAPS + "?labelSelector=many").json().path("items").size())
                .isEqualTo(2);
    }

    @Test
    void neverGivesAnAddressOrPortTwice() throws Exception {
        String services = "/api/v1/namespaces/default/services";
        try (ExecutorService pool = Executors.newVirtualThreadPerTaskExecutor()) {
            List<Future<Answer>> answers = new ArrayList<>();
            for (int i = 0; i < 64; i++) {
                String body = "{\"metadata\":{\"name\":\"s" + i
                        + "\"},\"spec\":{\"type\":\"NodePort\",\"ports\":[{\"port\":80}]}}";
                answers.add(pool.submit(() -> admin.post(services, body)));
            }
            Set<String> addresses = new HashSet<>();
            Set<Integer> ports = new HashSet<>();
            for (Future<Answer> answer : answers) {
                assertThat(answer.get().code()).isEqualTo(201);
                JsonNode spec = answer.get().json().path("spec");
                addresses.add(spec.path("clusterIP").asText());
                ports.add(spec.path("ports").path(0).path("nodePort").asInt());
            }
            assertThat(addresses).hasSize(64);
            assertThat(ports).hasSize(64);
        }
    }

    /** A watch being read line by line. */
    private static final class Watching implements AutoCloseable {
        private final BufferedReader lines;

        Watching(Caller caller, String path, String... headers) throws Exception {
            HttpRequest.Builder request = HttpRequest.newBuilder(server.uri(path));
            if (headers.length > 0) {
                request.headers(headers);
            }
            HttpResponse<InputStream> response =
                    caller.http().send(request.build(), HttpResponse.BodyHandlers.ofInputStream());
            assertThat(response.statusCode()).isEqualTo(200);
            lines = new BufferedReader(
                    new InputStreamReader(response.body(), StandardCharsets.UTF_8));
        }

        /** Type and name of the next event. */
        String next() throws IOException {
            JsonNode event = event();
            return event.path("type").asText()
                    + ' '
                    + event.path("object").path("metadata").path("name").asText();
        }

        JsonNode event() throws IOException {
            return Json.parseObject(lines.readLine());
        }

        @Override
        public void close() throws IOException {
            lines.close();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"HTTP_1_1", "HTTP_2"})
    void watches(String version) throws Exception {
        String label = "w" + version.toLowerCase(java.util.Locale.ROOT).replace("_", "");
        String labels = ",\"labels\":{\"w\":\"" + label + "\"}";
        String query = "&labelSelector=w%3D" + label;
        try (Caller caller = server.as("admin", HttpClient.Version.valueOf(version))) {
            Answer first = admin.post(MAPS, map(label + "1", labels));
            try (Watching all = new Watching(caller, MAPS + "?watch=1" + query);
                    Watching later = new Watching(
                            caller, MAPS + "?watch=1&resourceVersion=" + version(first) + query)) {
                assertThat(all.next()).isEqualTo("ADDED " + label + '1');
                admin.post(MAPS, map(label + "2", labels));
                admin.call(
                        "PATCH",
                        MAPS + '/' + label + '1',
                        "{\"metadata\":{\"labels\":null}}",
                        "Content-Type",
                        "application/merge-patch+json");
                admin.call("DELETE", MAPS + '/' + label + '2', "");
                for (Watching each : List.of(all, later)) {
                    assertThat(each.next()).isEqualTo("ADDED " + label + '2');
                    assertThat(each.next())
                            .as("it no longer matches")
                            .isEqualTo("DELETED " + label + '1');
                    JsonNode last = each.event();
                    assertThat(last.path("type").asText()).isEqualTo("DELETED");
                    assertThat(last.path("object")
                                    .path("metadata")
                                    .path("resourceVersion")
                                    .asLong())
                            .as("a deletion has its own version")
                            .isGreaterThan(Long.parseLong(version(first)) + 2);
                }
            }
        }
    }

    @Test
    void marksTheEndOfInitialEventsAlsoOfNothing() throws Exception {
        String query = "?watch=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan"
                + "&allowWatchBookmarks=true&labelSelector=none%3Dsuch";
        try (Watching watch = new Watching(admin, MAPS + query)) {
            JsonNode bookmark = watch.event();
            assertThat(bookmark.path("type").asText()).isEqualTo("BOOKMARK");
            assertThat(bookmark.path("object")
                            .path("metadata")
                            .path("annotations")
                            .path("k8s.io/initial-events-end")
                            .asText())
                    .isEqualTo("true");
        }
    }

    @Test
    void sendsABookmarkBeforeAWatchEnds() throws Exception {
        try (Watching watch = new Watching(
                admin,
                MAPS + "?watch=1&allowWatchBookmarks=true&timeoutSeconds=3&labelSelector=none")) {
            assertThat(watch.event().path("type").asText()).isEqualTo("BOOKMARK");
            assertThat(watch.lines.readLine()).as("the watch ends in time").isNull();
        }
    }

    @Test
    void watchesTables() throws Exception {
        admin.post(MAPS, map("tabled", ",\"labels\":{\"tabled\":\"1\"}"));
        try (Watching watch =
                new Watching(admin, MAPS + "?watch=1&labelSelector=tabled", "Accept", TABLE)) {
            JsonNode first = watch.event().path("object");
            assertThat(first.path("columnDefinitions").size()).isGreaterThan(1);
            admin.call("DELETE", MAPS + "/tabled", "");
            JsonNode second = watch.event().path("object");
            assertThat(second.path("columnDefinitions").size()).isZero();
            assertThat(second.path("rows").path(0).path("cells").path(0).asText())
                    .isEqualTo("tabled");
        }
    }

    @Test
    void pagesShowOneRevision() {
        String namespace = "/api/v1/namespaces";
        admin.post(namespace, "{\"metadata\":{\"name\":\"paged\"}}");
        String maps = namespace + "/paged/configmaps";
        for (int i = 0; i < 7; i++) {
            admin.post(maps, map("m" + i, ""));
        }
        ObjectNode page = admin.get(maps + "?limit=3").json();
        assertThat(page.path("metadata").path("remainingItemCount").asInt()).isEqualTo(4);
        String revision = page.path("metadata").path("resourceVersion").asText();
        admin.call("DELETE", maps + "/m5", "");
        int seen = page.path("items").size();
        while (page.path("metadata").has("continue")) {
            page = admin.get(maps + "?limit=3&continue="
                            + page.path("metadata").path("continue").asText())
                    .json();
            assertThat(page.path("metadata").path("resourceVersion").asText()).isEqualTo(revision);
            seen += page.path("items").size();
        }
        assertThat(seen).isEqualTo(7);
        assertThat(admin.get(maps + "?resourceVersion=" + revision + "&resourceVersionMatch=Exact")
                        .json()
                        .path("items")
                        .size())
                .isEqualTo(7);
        assertThat(admin.get(maps).json().path("items").size()).isEqualTo(6);
    }
}
