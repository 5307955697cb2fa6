package io.sluice.cli.packets;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.cli.packets.PacketTable.Section;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import java.nio.file.Path;
import java.util.stream.Stream;

/** All packets of the table, sent. Needs root, iproute2 and nftables. */
class PacketLabIT {
    @TempDir
    static Path temp;

    private static PacketTable table;
    private static PacketLab lab;

    @BeforeAll
    static void build() throws Exception {
        table = PacketTable.load();
        lab = new PacketLab(temp);
        for (Situation situation : table.situations()) {
            lab.create(situation);
        }
    }

    @AfterAll
    static void tearDown() throws Exception {
        if (lab != null) {
            lab.close();
        }
    }

    @AfterEach
    void stop() throws Exception {
        lab.stopProxy();
        lab.cleanUp();
    }

    /** One run of the proxy. */
    record Setup(Mode mode, Settings settings) {
        @Override
        public String toString() {
            return mode.text + ", " + settings;
        }
    }

    static Stream<Setup> setups() {
        return Mode.here()
                .flatMap(mode -> Stream.of(Settings.values())
                        .filter(mode::knows)
                        .map(settings -> new Setup(mode, settings)));
    }

    @ParameterizedTest
    @MethodSource("setups")
    void packetsFareAsTheTableSays(Setup setup) throws Exception {
        Section section = table.sections().stream()
                .filter(candidate -> candidate.settings() == setup.settings())
                .findFirst()
                .orElseThrow();
        lab.startProxy(setup.mode(), setup.settings());
        if (setup.mode() == Mode.IPTABLES_LEGACY) {
            assertThat(lab.topology().nodeA().exec("", "iptables-legacy-save"))
                    .contains("-A PREROUTING", "-j KUBE-SERVICES");
        }
        TableRun.Outcome outcome = new TableRun(lab.topology(), setup.mode()).run(section);
        assertThat(outcome.wrong()).as("proxy: %s", lab.get("/debug/status")).isEmpty();
        assertThat(outcome.asked()).isGreaterThan(20);
    }
}
