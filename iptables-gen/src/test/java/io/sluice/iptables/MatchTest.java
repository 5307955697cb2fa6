package io.sluice.iptables;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

import java.util.Locale;

class MatchTest {

    /** Where numbers have a comma, iptables still wants a point. */
    @Test
    void chanceIsWrittenAlikeEverywhere() {
        Locale here = Locale.getDefault();
        Locale.setDefault(Locale.GERMANY);
        try {
            assertThat(new Match.Chance(3).text())
                    .isEqualTo("-m statistic --mode random --probability 0.3333333333");
        } finally {
            Locale.setDefault(here);
        }
    }
}
