package io.sluice.dataplane.sysctl;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;

import io.sluice.api.object.Json;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;

class SysctlsTest {
    @TempDir
    Path dir;

    private static ObjectNode config(long perCore, long min) {
        ObjectNode out = Json.object();
        out.putObject("conntrack")
                .put("maxPerCore", perCore)
                .put("min", min)
                .put("tcpEstablishedTimeout", "24h0m0s")
                .put("tcpCloseWaitTimeout", "1h")
                .put("tcpBeLiberal", false)
                .put("udpTimeout", "0s")
                .put("udpStreamTimeout", "0s");
        return out;
    }

    private Path file(String name, String content) throws IOException {
        Path file = dir.resolve(name);
        Files.createDirectories(file.getParent());
        return Files.writeString(file, content);
    }

    @Test
    void entriesFollowTheCpusBetweenMinimumAndCeiling() {
        assertThat(ConntrackSettings.of(config(32_768, 131_072), 2).most()).isEqualTo(131_072);
        assertThat(ConntrackSettings.of(config(32_768, 131_072), 8).most()).isEqualTo(262_144);
        assertThat(ConntrackSettings.of(config(32_768, 131_072), 96).most()).isEqualTo(1_048_576);
        assertThat(ConntrackSettings.of(config(32_768, 2_000_000), 96).most()).isEqualTo(2_000_000);
        assertThat(ConntrackSettings.of(config(0, 131_072), 8).most()).isZero();
    }

    @Test
    void timeoutsOfZeroLeaveTheKernelsOwn() {
        ObjectNode config = config(0, 0);
        assertThat(ConntrackSettings.of(config, 1).values())
                .isEqualTo(Map.of(
                        "nf_conntrack_tcp_timeout_established",
                        86_400L,
                        "nf_conntrack_tcp_timeout_close_wait",
                        3_600L));
        ((ObjectNode) config.get("conntrack"))
                .put("tcpBeLiberal", true)
                .put("udpTimeout", "30s")
                .put("tcpCloseWaitTimeout", "0s");
        assertThat(ConntrackSettings.of(config, 1).values())
                .containsEntry("nf_conntrack_tcp_be_liberal", 1L)
                .containsEntry("nf_conntrack_udp_timeout", 30L)
                .doesNotContainKey("nf_conntrack_tcp_timeout_close_wait");
    }

    @Test
    void writesWhatDiffersAndRaisesTheHashOnly() throws IOException {
        Path most = file("proc/sys/net/netfilter/nf_conntrack_max", "262144\n");
        Path hash = file("sys/module/nf_conntrack/parameters/hashsize", "65536\n");
        file("proc/sys/net/netfilter/nf_conntrack_tcp_timeout_established", "86400\n");
        Path closeWait = file("proc/sys/net/netfilter/nf_conntrack_tcp_timeout_close_wait", "60\n");
        Sysctls.Report report = Sysctls.apply(
                ConntrackSettings.of(config(32_768, 131_072), 2),
                dir.resolve("proc"),
                dir.resolve("sys"));
        assertThat(report.problems()).isEmpty();
        assertThat(report.changed())
                .containsExactly(
                        "net.netfilter.nf_conntrack_max from 262144 to 131072",
                        "net.netfilter.nf_conntrack_tcp_timeout_close_wait from 60 to 3600");
        assertThat(most).hasContent("131072");
        assertThat(closeWait).hasContent("3600");
        assertThat(hash).hasContent("65536");
    }

    @Test
    void whatCannotBeSetHindersNothingElse() throws IOException {
        Files.createDirectories(dir.resolve("proc/sys/net/netfilter/nf_conntrack_max"));
        file("sys/module/nf_conntrack/parameters/hashsize", "1024");
        file("proc/sys/net/netfilter/nf_conntrack_tcp_timeout_established", "1");
        Sysctls.Report report = Sysctls.apply(
                ConntrackSettings.of(config(32_768, 131_072), 2),
                dir.resolve("proc"),
                dir.resolve("sys"));
        assertThat(report.problems())
                .hasSize(2)
                .anyMatch(text -> text.startsWith("net.netfilter.nf_conntrack_max cannot be read"))
                .anyMatch(text -> text.startsWith(
                        "net.netfilter.nf_conntrack_tcp_timeout_close_wait cannot be read"));
        assertThat(report.changed())
                .contains("module/nf_conntrack/parameters/hashsize from 1024 to 32768");
    }

    @Test
    void countsTheCpusOfTheMachine() throws IOException {
        file("devices/system/cpu/online", "0-3,6,8-9\n");
        assertThat(Sysctls.cpus(dir)).isEqualTo(7);
        assertThat(Sysctls.cpus(dir.resolve("nothing"))).isPositive();
    }
}
