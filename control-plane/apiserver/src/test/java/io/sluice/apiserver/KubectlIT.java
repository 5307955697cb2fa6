package io.sluice.apiserver;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.io.TempDir;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** What people type, with every kubectl that is installed. Needs at least one where {@code CI=true}. */
class KubectlIT {
    private static final String MANIFEST = """
            apiVersion: v1
            kind: Service
            metadata: {name: web, labels: {app: web}}
            spec:
              type: NodePort
              selector: {app: web}
              ports: [{name: http, port: 80, targetPort: 8080}]
            ---
            apiVersion: v1
            kind: ConfigMap
            metadata: {name: conf}
            data: {a: "1"}
            ---
            apiVersion: v1
            kind: Pod
            metadata: {name: p1, labels: {app: web}}
            spec: {containers: [{name: c, image: none, ports: [{containerPort: 80}]}]}
            """;

    @TempDir
    static Path directory;

    private static RunningServer server;

    @BeforeAll
    static void start() throws IOException {
        server = RunningServer.start(directory.resolve("data"));
        Files.writeString(directory.resolve("app.yaml"), MANIFEST);
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    private static List<Path> installed() throws IOException {
        TreeSet<Path> out = new TreeSet<>();
        for (String entry : System.getenv("PATH").split(File.pathSeparator)) {
            Path folder = Path.of(entry);
            if (Files.isExecutable(folder.resolve("kubectl"))) {
                Path real = folder.resolve("kubectl").toRealPath();
                out.add(real);
                try (Stream<Path> others = Files.list(real.getParent())) {
                    others.filter(file -> file.getFileName()
                                    .toString()
                                    .matches("kubectl\\.1\\.(27|30|33)"))
                            .forEach(out::add);
                }
            }
        }
        return List.copyOf(out);
    }

    @TestFactory
    Stream<DynamicTest> everyVersionWorks() throws IOException {
        List<Path> all = installed();
        assumeTrue(!all.isEmpty() || "true".equals(System.getenv("CI")), "no kubectl on the path");
        assertThat(all).as("kubectl on the path").isNotEmpty();
        return all.stream()
                .map(kubectl -> DynamicTest.dynamicTest(
                        kubectl.getFileName().toString(), () -> new Session(kubectl).run()));
    }

    /** One kubectl in a Namespace of its own. */
    private static final class Session {
        private final Path kubectl;
        private final String namespace;

        Session(Path kubectl) {
            this.kubectl = kubectl;
            this.namespace = kubectl.getFileName().toString().replace('.', '-');
        }

        void run() throws Exception {
            expect("created", "create", "namespace", namespace);
            applies();
            reads();
            changes();
            creates();
            deletes();
        }

        private void applies() throws Exception {
            String file = directory.resolve("app.yaml").toString();
            assertThat(ok("apply", "-f", file)).containsOnlyOnce("service/web created");
            assertThat(ok("apply", "-f", file))
                    .contains(
                            "service/web unchanged",
                            "configmap/conf unchanged",
                            "pod/p1 unchanged");
            assertThat(ok("diff", "-f", file)).isEmpty();
            assertThat(call("apply", "--server-side", "-f", file))
                    .contains("Server-side apply not available on the server");
        }

        private void reads() throws Exception {
            assertThat(ok("get", "services", "-o", "wide")).contains("NodePort", "80:3", "app=web");
            assertThat(ok("get", "pods", "-l", "app=web", "--no-headers")).contains("Pending");
            assertThat(ok(
                            "get",
                            "configmaps",
                            "--field-selector",
                            "metadata.name=conf",
                            "-o",
                            "name"))
                    .isEqualTo("configmap/conf\n");
            assertThat(ok("get", "all", "-A", "--chunk-size=1")).contains("pod/p1");
            assertThat(ok("get", "svc", "web", "-o", "jsonpath={.spec.ports[0].targetPort}"))
                    .isEqualTo("8080");
            assertThat(ok("describe", "service", "web")).contains("NodePort:", "http");
            assertThat(ok("api-resources")).contains("endpointslices", "leases");
            assertThat(ok("api-versions")).contains("discovery.k8s.io/v1");
            assertThat(ok("explain", "service.spec.type")).contains("string");
            assertThat(call("get", "pods", "none")).contains("pods \"none\" not found");
        }

        private void changes() throws Exception {
            expect("labeled", "label", "svc", "web", "x=y");
            expect("annotate", "annotate", "pod", "p1", "a=b");
            expect("patched", "patch", "cm", "conf", "-p", "{\"data\":{\"b\":\"2\"}}");
            expect(
                    "patched",
                    "patch",
                    "cm",
                    "conf",
                    "--type=merge",
                    "-p",
                    "{\"data\":{\"c\":\"3\"}}");
            expect(
                    "patched",
                    "patch",
                    "cm",
                    "conf",
                    "--type=json",
                    "-p",
                    "[{\"op\":\"remove\",\"path\":\"/data/a\"}]");
            assertThat(ok("get", "cm", "conf", "-o", "jsonpath={.data}"))
                    .isEqualTo("{\"b\":\"2\",\"c\":\"3\"}");
            expect("replaced", "replace", "-f", directory.resolve("app.yaml").toString());
            expect("exposed", "expose", "pod", "p1", "--port=99", "--name=exposed");
            assertThat(ok("wait", "--for=jsonpath={.status.phase}=Pending", "pod/p1"))
                    .contains("condition met");
        }

        /** These commands write protobuf since 1.32. */
        private void creates() throws Exception {
            expect("created", "create", "configmap", "made", "--from-literal=k=v");
            assertThat(ok("get", "cm", "made", "-o", "jsonpath={.data.k}")).isEqualTo("v");
            expect("created", "create", "secret", "generic", "made", "--from-literal=k=v");
            assertThat(ok("get", "secret", "made", "-o", "jsonpath={.data.k}")).isEqualTo("dg==");
            expect("created", "create", "serviceaccount", "made");
            expect("created", "create", "service", "clusterip", "made", "--tcp=5:6");
            assertThat(ok("create", "token", "made").split("\\.")).hasSize(3);
        }

        private void deletes() throws Exception {
            expect("deleted", "delete", "pod", "p1", "--grace-period=0", "--force");
            expect("deleted", "delete", "configmaps", "--all");
            expect("deleted", "delete", "svc", "web");
            assertThat(ok("get", "pods,configmaps", "-o", "name")).isEmpty();
        }

        private void expect(String word, String... arguments) throws Exception {
            assertThat(ok(arguments)).contains(word);
        }

        private String ok(String... arguments) throws Exception {
            Outcome outcome = execute(arguments);
            assertThat(outcome.code())
                    .as("kubectl %s: %s", String.join(" ", arguments), outcome.text())
                    .isZero();
            return outcome.text();
        }

        private String call(String... arguments) throws Exception {
            return execute(arguments).text();
        }

        private record Outcome(int code, String text) {}

        private Outcome execute(String... arguments) throws Exception {
            List<String> command = new ArrayList<>(List.of(
                    kubectl.toString(),
                    "--kubeconfig=" + server.server().adminKubeconfig(),
                    "--cache-dir=" + directory.resolve("cache-" + namespace),
                    "--namespace=" + namespace));
            command.addAll(List.of(arguments));
            Process process =
                    new ProcessBuilder(command).redirectErrorStream(true).start();
            process.getOutputStream().close();
            String text =
                    new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
            return new Outcome(process.exitValue(), text);
        }
    }
}
