package io.sluice.iptables;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class CleanUpIpvsTest {

    @Test
    void takesAwayTheRulesOfAKubeProxyInModeIpvs() {
        SavedRules saved = SavedRules.parse("""
                *filter
                :INPUT ACCEPT [0:0]
                :KUBE-IPVS-FILTER - [0:0]
                :KUBE-NODE-PORT - [0:0]
                :OTHERS - [0:0]
                -A INPUT -m comment --comment "kubernetes ipvs access filter" -j KUBE-IPVS-FILTER
                -A INPUT -m comment --comment "kubernetes health check rules" -j KUBE-NODE-PORT
                -A INPUT -j OTHERS
                -A KUBE-IPVS-FILTER -m set --match-set KUBE-CLUSTER-IP dst,dst -j RETURN
                COMMIT
                """);
        assertThat(IptablesPlanner.cleanUp(saved).lines())
                .contains(
                        "-D INPUT -m comment --comment \"kubernetes ipvs access filter\" -j KUBE-IPVS-FILTER",
                        "-D INPUT -m comment --comment \"kubernetes health check rules\" -j KUBE-NODE-PORT",
                        "-X KUBE-IPVS-FILTER",
                        "-X KUBE-NODE-PORT")
                .noneMatch(line -> line.contains("OTHERS"));
    }
}
