package io.sluice.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

import io.sluice.api.object.Yaml;
import io.sluice.dataplane.config.ProxyMode;
import io.sluice.dataplane.config.ProxyOptions;
import io.sluice.dataplane.proxy.FeatureProbe;

import org.junit.jupiter.api.Test;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The files that the tarball brings for nodes: they are well-formed and fit each other. .ci/dist-test runs the tarball. */
class DistributionTest {
    private static Path dist() {
        Path dir = Path.of("").toAbsolutePath();
        while (!Files.exists(dir.resolve("dist/pack"))) {
            dir = dir.getParent();
        }
        return dir.resolve("dist");
    }

    private static Map<String, ObjectNode> manifest() throws Exception {
        Map<String, ObjectNode> out = new HashMap<>();
        String all = Files.readString(dist().resolve("sluice-proxy.yaml"));
        for (String document : all.split("(?m)^---$")) {
            ObjectNode object = Yaml.parseObject(document);
            out.put(object.path("kind").asText(), object);
        }
        return out;
    }

    @Test
    void theManifestHoldsOneOfEachKindTiedByName() throws Exception {
        Map<String, ObjectNode> manifest = manifest();
        assertThat(manifest.keySet())
                .containsExactlyInAnyOrder(
                        "ServiceAccount",
                        "ClusterRole",
                        "ClusterRoleBinding",
                        "ConfigMap",
                        "DaemonSet");
        JsonNode binding = manifest.get("ClusterRoleBinding");
        assertThat(binding.at("/roleRef/name"))
                .isEqualTo(manifest.get("ClusterRole").at("/metadata/name"));
        JsonNode pod = manifest.get("DaemonSet").at("/spec/template/spec");
        assertThat(pod.path("serviceAccountName"))
                .isEqualTo(binding.at("/subjects/0/name"))
                .isEqualTo(manifest.get("ServiceAccount").at("/metadata/name"));
        assertThat(pod.at("/volumes/0/configMap/name"))
                .isEqualTo(manifest.get("ConfigMap").at("/metadata/name"));
        assertThat(manifest.get("DaemonSet").at("/spec/selector/matchLabels"))
                .isEqualTo(manifest.get("DaemonSet").at("/spec/template/metadata/labels"));
    }

    @Test
    void nothingMayBeChangedButEventsMade() throws Exception {
        List<String> rights = new ArrayList<>();
        for (JsonNode rule : manifest().get("ClusterRole").path("rules")) {
            rule.path("verbs")
                    .forEach(verb -> rule.path("resources")
                            .forEach(resource ->
                                    rights.add(rule.at("/apiGroups/0").asText()
                                            + '/'
                                            + resource.asText()
                                            + ' '
                                            + verb.asText())));
        }
        assertThat(rights)
                .containsExactlyInAnyOrder(
                        "/nodes list",
                        "/services list",
                        "/nodes watch",
                        "/services watch",
                        "discovery.k8s.io/endpointslices list",
                        "discovery.k8s.io/endpointslices watch",
                        "networking.k8s.io/servicecidrs list",
                        "networking.k8s.io/servicecidrs watch",
                        "events.k8s.io/events create");
    }

    @Test
    void theConfigurationInTheManifestIsKnownInAllItsFields() throws Exception {
        JsonNode data = manifest().get("ConfigMap").path("data");
        ProxyOptions.Resolved resolved = ProxyOptions.resolve(
                Map.of("config", "config.conf"),
                data.path("config.conf").asText(),
                "n1",
                FeatureProbe::read);
        assertThat(resolved.warnings()).isEmpty();
        assertThat(resolved.config().mode()).isEqualTo(ProxyMode.NFTABLES);
        assertThat(Yaml.parseObject(data.path("kubeconfig.conf").asText())
                        .path("current-context")
                        .asText())
                .isEqualTo("default");
    }

    @Test
    void theUnitRunsTheProxyWhereTheTarballPutsIt() throws Exception {
        List<String> lines = Files.readAllLines(dist().resolve("sluice-proxy.service"));
        assertThat(lines)
                .contains("[Unit]", "[Service]", "[Install]", "Restart=always")
                .contains("ExecStart=/opt/sluice/sluice proxy $SLUICE_PROXY_ARGS");
    }
}
