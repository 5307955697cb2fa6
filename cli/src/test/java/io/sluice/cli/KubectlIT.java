package io.sluice.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.sluice.cli.lab.Kubectl;
import io.sluice.cli.lab.SluiceProcess;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

/** What people do with kubectl, with the real one in several versions, against the real server. */
class KubectlIT {
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final String APP = """
            apiVersion: v1
            kind: Pod
            metadata: {name: web, labels: {app: web}}
            spec:
              containers: [{name: c, image: nginx, ports: [{containerPort: 80}]}]
            ---
            apiVersion: v1
            kind: Service
            metadata: {name: web}
            spec: {selector: {app: web}, ports: [{port: 80, targetPort: 8080}]}
            """;

    @TempDir
    static Path dir;

    private static SluiceProcess up;

    @BeforeAll
    static void start() throws Exception {
        up = SluiceProcess.up(
                dir.resolve("data"), 0, SluiceProcess.freePort(), "--without", "proxy");
    }

    @AfterAll
    static void stop() throws Exception {
        up.close();
    }

    static List<Kubectl> versions() throws IOException {
        List<Kubectl> out = new ArrayList<>();
        for (Path binary : Kubectl.installed()) {
            Path home = Files.createDirectories(dir.resolve("home-" + binary.getFileName()));
            out.add(new Kubectl(binary, dir.resolve("data/admin.kubeconfig"), home));
        }
        return out;
    }

    /** A namespace of its own, also per version. */
    private static String namespace(Kubectl kubectl, String name) throws Exception {
        String out = name + '-' + kubectl.toString().replaceAll("[^0-9]", "");
        assertThat(kubectl.ok("create", "namespace", out)).contains("namespace/" + out);
        return out;
    }

    @ParameterizedTest
    @MethodSource("versions")
    void tellsWhatThereIs(Kubectl kubectl) throws Exception {
        assertThat(kubectl.ok("version")).contains("sluice");
        assertThat(kubectl.ok("api-versions").lines())
                .contains("v1", "discovery.k8s.io/v1", "coordination.k8s.io/v1");
        assertThat(kubectl.ok("api-resources"))
                .containsPattern("services +svc +v1 +true +Service")
                .containsPattern("nodes +no +v1 +false +Node");
        assertThat(kubectl.ok("explain", "service.spec.ports")).contains("targetPort");
        assertThat(kubectl.ok("get", "namespaces", "-o", "name").lines())
                .contains(
                        "namespace/default",
                        "namespace/kube-system",
                        "namespace/kube-public",
                        "namespace/kube-node-lease");
        assertThat(kubectl.ok("get", "service", "kubernetes")).contains("10.94.0.1");
        assertThat(kubectl.ok("get", "--raw", "/readyz?verbose")).contains("readyz check passed");
        Kubectl.Output missing = kubectl.run("get", "service", "nowhere");
        assertThat(missing.code()).isEqualTo(1);
        assertThat(missing.text()).contains("services \"nowhere\" not found");
    }

    @ParameterizedTest
    @MethodSource("versions")
    void readsInEveryForm(Kubectl kubectl) throws Exception {
        String ns = namespace(kubectl, "read");
        for (String name : List.of("a", "b", "c")) {
            kubectl.ok("-n", ns, "create", "configmap", name, "--from-literal=key=" + name);
        }
        kubectl.ok("-n", ns, "label", "configmap", "a", "b", "tier=front");
        kubectl.ok("-n", ns, "create", "service", "nodeport", "web", "--tcp=80:8080");
        assertThat(kubectl.ok("-n", ns, "get", "service", "-o", "wide"))
                .containsPattern("web +NodePort +10\\.94[.0-9]+ +<none> +80:3\\d+/TCP .*app=web");
        assertThat(kubectl.ok("-n", ns, "get", "configmap", "a", "-o", "yaml"))
                .contains("key: a", "kind: ConfigMap", "tier: front");
        assertThat(kubectl.ok("-n", ns, "get", "configmap", "a", "-o", "json"))
                .contains("\"key\": \"a\"");
        assertThat(kubectl.ok("-n", ns, "get", "configmap", "-l", "tier in (front)", "-o", "name"))
                .isEqualTo("configmap/a\nconfigmap/b\n");
        assertThat(kubectl.ok(
                        "-n",
                        ns,
                        "get",
                        "configmap",
                        "--field-selector",
                        "metadata.name=c",
                        "-o",
                        "name"))
                .isEqualTo("configmap/c\n");
        assertThat(kubectl.ok("-n", ns, "get", "configmap", "--chunk-size=1", "-o", "name"))
                .isEqualTo("configmap/a\nconfigmap/b\nconfigmap/c\n");
        assertThat(kubectl.ok("-n", ns, "describe", "service", "web"))
                .contains("Type:", "NodePort", "TargetPort:", "8080/TCP", "Events:");
        assertThat(kubectl.ok("-n", ns, "describe", "configmap", "a")).contains("Data");
        assertThat(kubectl.ok("get", "all", "--all-namespaces")).contains("service/web");
    }

    @ParameterizedTest
    @MethodSource("versions")
    void appliesAndTellsDifferences(Kubectl kubectl) throws Exception {
        String ns = namespace(kubectl, "apply");
        Kubectl.Output before = kubectl.runWith(APP, "-n", ns, "diff", "-f", "-");
        assertThat(before.code()).as(before.text()).isEqualTo(1);
        assertThat(before.text()).contains("+kind: Pod", "+kind: Service");
        assertThat(kubectl.okWith(APP, "-n", ns, "apply", "-f", "-"))
                .isEqualTo("pod/web created\nservice/web created\n");
        assertThat(kubectl.okWith(APP, "-n", ns, "apply", "-f", "-"))
                .isEqualTo("pod/web unchanged\nservice/web unchanged\n");
        assertThat(kubectl.okWith(APP, "-n", ns, "diff", "-f", "-")).isEmpty();
        String changed = APP.replace("targetPort: 8080", "targetPort: 9090");
        assertThat(kubectl.okWith(changed, "-n", ns, "apply", "-f", "-"))
                .isEqualTo("pod/web unchanged\nservice/web configured\n");
        assertThat(kubectl.ok(
                        "-n",
                        ns,
                        "get",
                        "service",
                        "web",
                        "-o",
                        "jsonpath={.spec.ports[0].targetPort}"))
                .isEqualTo("9090");
        Kubectl.Output serverSide =
                kubectl.runWith(APP, "-n", ns, "apply", "--server-side", "-f", "-");
        assertThat(serverSide.code()).isEqualTo(1);
        assertThat(serverSide.text())
                .containsIgnoringCase("server-side apply")
                .contains("not supported by this server yet");
        Kubectl.Output wrong = kubectl.runWith(
                APP.replace("port: 80,", "port: 80, prot: TCP,"), "-n", ns, "apply", "-f", "-");
        assertThat(wrong.code()).isEqualTo(1);
        assertThat(wrong.text()).contains("prot");
    }

    @ParameterizedTest
    @MethodSource("versions")
    void changesObjects(Kubectl kubectl) throws Exception {
        String ns = namespace(kubectl, "change");
        kubectl.okWith(APP, "-n", ns, "create", "-f", "-");
        kubectl.ok("-n", ns, "create", "configmap", "m", "--from-literal=x=1");
        kubectl.ok("-n", ns, "annotate", "configmap", "m", "note=here");
        kubectl.ok(
                "-n",
                ns,
                "patch",
                "configmap",
                "m",
                "--type=json",
                "-p",
                "[{\"op\":\"add\",\"path\":\"/data/y\",\"value\":\"2\"}]");
        kubectl.ok(
                "-n",
                ns,
                "patch",
                "configmap",
                "m",
                "--type=merge",
                "-p",
                "{\"data\":{\"z\":\"3\"}}");
        kubectl.ok(
                "-n",
                ns,
                "patch",
                "service",
                "web",
                "--type=strategic",
                "-p",
                "{\"spec\":{\"ports\":[{\"port\":81,\"name\":\"other\"},{\"port\":80,\"name\":\"first\"}]}}");
        assertThat(kubectl.ok(
                        "-n", ns, "get", "service", "web", "-o", "jsonpath={.spec.ports[*].port}"))
                .contains("80", "81");
        String yaml = kubectl.ok("-n", ns, "get", "configmap", "m", "-o", "yaml");
        assertThat(yaml).contains("note: here", "\"y\": \"2\"", "z: \"3\"");
        kubectl.okWith(yaml.replace("x: \"1\"", "x: \"9\""), "-n", ns, "replace", "-f", "-");
        Kubectl.Output stale = kubectl.runWith(
                yaml.replace("x: \"1\"", "x: \"8\""), "-n", ns, "replace", "-f", "-");
        assertThat(stale.code()).isEqualTo(1);
        assertThat(stale.text()).contains("Conflict");
        edit(kubectl, ns, "s/x: \"9\"/x: \"7\"/");
        assertThat(kubectl.ok("-n", ns, "get", "configmap", "m", "-o", "jsonpath={.data.x}"))
                .isEqualTo("7");
        kubectl.ok("-n", ns, "expose", "pod", "web", "--name", "exposed", "--port", "80");
        assertThat(kubectl.ok(
                        "-n",
                        ns,
                        "get",
                        "service",
                        "exposed",
                        "-o",
                        "jsonpath={.spec.selector.app}"))
                .isEqualTo("web");
    }

    private static void edit(Kubectl kubectl, String ns, String expression) throws Exception {
        Path editor = kubectl.home().resolve("editor");
        Files.writeString(editor, "#!/bin/sh\nexec sed -i '" + expression + "' \"$1\"\n");
        assertThat(editor.toFile().setExecutable(true)).isTrue();
        ProcessBuilder builder = new ProcessBuilder(
                        kubectl.binary().toString(),
                        "--kubeconfig",
                        kubectl.kubeconfig().toString(),
                        "-n",
                        ns,
                        "edit",
                        "configmap",
                        "m")
                .redirectErrorStream(true);
        builder.environment().put("KUBE_EDITOR", editor.toString());
        builder.environment().put("HOME", kubectl.home().toString());
        Kubectl.Output output = Kubectl.end(builder.start());
        assertThat(output.code()).as(output.text()).isZero();
        assertThat(output.text()).contains("configmap/m edited");
    }

    @ParameterizedTest
    @MethodSource("versions")
    void watchesAndWaits(Kubectl kubectl) throws Exception {
        String ns = namespace(kubectl, "watch");
        kubectl.ok("-n", ns, "create", "configmap", "early");
        Process all = kubectl.start("-n", ns, "get", "configmap", "-w", "-o", "name");
        Process news = kubectl.start("-n", ns, "get", "configmap", "--watch-only", "-o", "name");
        try {
            Queue<String> fromAll = lines(all);
            Queue<String> fromNews = lines(news);
            await().atMost(PATIENCE).until(() -> fromAll.contains("configmap/early"));
            // When the second watch began is not to be seen from outside, so a new object is made
            // until one is told.
            int[] made = {0};
            await().atMost(PATIENCE).until(() -> {
                kubectl.ok("-n", ns, "create", "configmap", "late-" + made[0]++);
                return !fromNews.isEmpty();
            });
            String told = fromNews.peek();
            assertThat(told).startsWith("configmap/late-");
            assertThat(fromNews).doesNotContain("configmap/early");
            await().atMost(PATIENCE).until(() -> fromAll.contains(told));
        } finally {
            all.destroy();
            news.destroy();
        }
        kubectl.ok("-n", ns, "patch", "configmap", "early", "-p", "{\"data\":{\"k\":\"v\"}}");
        kubectl.ok(
                "-n", ns, "wait", "--for=jsonpath={.data.k}=v", "configmap/early", "--timeout=30s");
        Process wait =
                kubectl.start("-n", ns, "wait", "--for=delete", "configmap/early", "--timeout=60s");
        kubectl.ok("-n", ns, "delete", "configmap", "early");
        assertThat(Kubectl.end(wait).code()).isZero();
    }

    private static Queue<String> lines(Process process) {
        Queue<String> out = new ConcurrentLinkedQueue<>();
        Thread.ofVirtual().start(() -> {
            try (BufferedReader in = new BufferedReader(
                    new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
                in.lines().forEach(out::add);
            } catch (IOException | java.io.UncheckedIOException e) {
                out.add("cut: " + e.getMessage());
            }
        });
        return out;
    }

    @ParameterizedTest
    @MethodSource("versions")
    void deletes(Kubectl kubectl) throws Exception {
        String ns = namespace(kubectl, "delete");
        kubectl.okWith(APP, "-n", ns, "create", "-f", "-");
        for (String name : List.of("a", "b", "c")) {
            kubectl.ok("-n", ns, "create", "configmap", name);
        }
        assertThat(kubectl.ok("-n", ns, "delete", "pod", "web", "--grace-period=0", "--force"))
                .contains("pod \"web\" force deleted");
        assertThat(kubectl.ok("-n", ns, "delete", "service", "web", "--cascade=foreground"))
                .contains("service \"web\" deleted");
        assertThat(kubectl.ok("-n", ns, "delete", "configmap", "--all"))
                .contains("\"a\" deleted", "\"b\" deleted", "\"c\" deleted");
        assertThat(kubectl.ok("-n", ns, "get", "configmap,pod,service", "-o", "name"))
                .isEmpty();
        kubectl.ok("delete", "namespace", ns, "--timeout=60s");
        assertThat(kubectl.run("get", "namespace", ns).text()).contains("not found");
    }
}
