package io.sluice.cli.packets;

import static io.sluice.api.net.IpFamily.IPV4;
import static io.sluice.api.net.Protocol.TCP;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;

/** What a proxy says of its rules, beside what {@code nft} says. */
class RulesIT {
    @TempDir
    Path temp;

    private PacketLab lab;
    private Situation service;

    @BeforeEach
    void build() throws Exception {
        lab = new PacketLab(temp);
        service = lab.create("etp Local", "a1, b1");
        lab.startProxy(Mode.NFTABLES, Settings.POD_BLOCK);
        PacketLab.awaitServedBy(
                "a1", lab.probe(lab.topology().outside(), service, Knock.NODE_PORT, IPV4, TCP));
    }

    @AfterEach
    void tearDown() {
        if (lab != null) {
            lab.close();
        }
    }

    private String follow(String from) throws Exception {
        String target =
                service.address(Knock.NODE_PORT, IPV4).withPort(service.port(Knock.NODE_PORT));
        return lab.get("/debug/explain?format=text&from=" + from + "&target="
                + URLEncoder.encode(target, StandardCharsets.UTF_8));
    }

    @Test
    void rulesAreThoseOfTheKernel() throws Exception {
        String frontend = service.address(Knock.NODE_PORT, IPV4) + " . tcp . "
                + service.port(Knock.NODE_PORT);

        assertThat(lab.get("/debug/rules")).contains(frontend).contains("chain services");
        assertThat(lab.topology().nodeA().exec("", "nft", "list", "ruleset")).contains(frontend);
        assertThat(lab.get("/debug/rules?diff=true")).isEmpty();
    }

    @Test
    void whatSomebodyTakesOutComesBack() throws Exception {
        String[] list = {"nft", "list", "set", "ip", "sluice", "frontends"};
        NetSpace node = lab.topology().nodeA();
        node.exec("", "nft", "flush", "set", "ip", "sluice", "frontends");
        String port = "tcp . " + service.port(Knock.NODE_PORT);

        await().until(() -> node.exec("", list).contains(port));
        assertThat(lab.get("/debug/rules?diff=true")).isEmpty();
    }

    @Test
    void aPacketIsFollowedThroughThem() throws Exception {
        assertThat(follow("outside"))
                .contains("forwarded to")
                .contains("sees the client's address")
                .contains("services: dnat ip to");
        assertThat(follow("node")).contains("forwarded to").contains("near-services: dnat ip to");
        assertThat(follow("pod"))
                .contains("sees the client's address")
                .contains("goto near-services");
        assertThat(follow("203.0.113.200")).contains("(203.0.113.200)").contains("forwarded to");
    }
}
