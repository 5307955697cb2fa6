package io.sluice.dataplane.config;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.api.object.Yaml;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;

/**
 * Configuration files as other installers write them, and what becomes of them: the whole effective
 * configuration and every warning. {@code -Dsluice.golden.write=true} writes what is expected anew.
 */
class ConfigGoldenTest {

    @ParameterizedTest
    @ValueSource(strings = {"kubeadm", "kind", "odd"})
    void shouldResolveAsWritten(String name) throws Exception {
        String file = resource(name + ".yaml");
        Map<String, String> flags = Map.of("config", name + ".yaml", "hostname-override", "Node-1");

        ProxyOptions.Resolved resolved =
                ProxyOptions.resolve(flags, file, "machine", Features::none);

        String actual = describe(resolved);
        String golden = name + ".golden.txt";
        if (Boolean.getBoolean("sluice.golden.write")) {
            Files.writeString(Path.of("src/test/resources/config", golden), actual);
        }
        assertThat(actual).isEqualTo(resource(golden));
    }

    private static String describe(ProxyOptions.Resolved resolved) {
        ProxyConfig config = resolved.config();
        StringBuilder out = new StringBuilder();
        resolved.warnings().forEach(text -> out.append("warning: ").append(text).append('\n'));
        out.append("mode ").append(config.mode().word()).append('\n');
        out.append("node ").append(config.nodeName()).append('\n');
        out.append("pods ").append(config.rules().detector()).append('\n');
        out.append("nodePorts ").append(config.rules().nodePortAddresses()).append('\n');
        out.append("healthz ").append(config.healthzBindAddress()).append('\n');
        out.append("metrics ").append(config.metricsBindAddress()).append('\n');
        out.append("sync ").append(config.minSyncPeriod());
        out.append(" to ").append(config.syncPeriod()).append('\n');
        out.append("externalIPs ").append(config.externalIps()).append('\n');
        return out.append("---\n").append(Yaml.write(config.effective())).toString();
    }

    private static String resource(String name) throws IOException {
        try (InputStream in = ConfigGoldenTest.class.getResourceAsStream("/config/" + name)) {
            return in == null ? "" : new String(in.readAllBytes(), StandardCharsets.UTF_8);
        }
    }
}
