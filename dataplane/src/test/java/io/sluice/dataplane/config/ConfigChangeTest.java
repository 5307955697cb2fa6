package io.sluice.dataplane.config;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.dataplane.config.ConfigChange.Effort;

import org.junit.jupiter.api.Test;

import java.util.Map;

class ConfigChangeTest {
    private static ProxyConfig config(String fields) throws ConfigException {
        String head =
                "apiVersion: kubeproxy.config.k8s.io/v1alpha1\nkind: KubeProxyConfiguration\n";
        return ProxyOptions.resolve(
                        Map.of("config", "proxy.yaml"), head + fields, "machine", Features::none)
                .config();
    }

    private static ConfigChange change(String before, String after) throws ConfigException {
        return ConfigChange.between(config(before), config(after));
    }

    @Test
    void theSameInOtherWordsIsNoChange() throws ConfigException {
        ConfigChange change = change("mode: nftables", "mode: nftables\noomScoreAdj: -999");
        assertThat(change.keys()).isEmpty();
        assertThat(change.effort(ProxyMode.USERSPACE)).isEqualTo(Effort.NOTHING);
    }

    @Test
    void settingsOfTheKernelAreWrittenInEveryMode() throws ConfigException {
        ConfigChange change = change("", "oomScoreAdj: -5\nconntrack: {min: 5}");
        assertThat(change.keys()).containsExactlyInAnyOrder("oomScoreAdj", "conntrack.min");
        assertThat(change.effort(ProxyMode.USERSPACE)).isEqualTo(Effort.SETTINGS);
        assertThat(change.effort(ProxyMode.NFTABLES)).isEqualTo(Effort.SETTINGS);
    }

    @Test
    void whatRulesFollowStartsAgainWhereTheKernelCarriesTraffic() throws ConfigException {
        ConfigChange change =
                change("clusterCIDR: 10.0.0.0/8", "clusterCIDR: 10.1.0.0/16\nconntrack: {min: 5}");
        assertThat(change.keys()).containsExactlyInAnyOrder("clusterCIDR", "conntrack.min");
        assertThat(change.effort(ProxyMode.NFTABLES)).isEqualTo(Effort.RESTART);
        assertThat(change.effort(ProxyMode.IPTABLES)).isEqualTo(Effort.RESTART);
        assertThat(change.effort(ProxyMode.USERSPACE)).isEqualTo(Effort.EXIT);
    }

    @Test
    void invalidPacketsAreAMatterOfRules() throws ConfigException {
        ConfigChange change = change("", "conntrack: {tcpBeLiberal: true}");
        assertThat(change.effort(ProxyMode.IPTABLES)).isEqualTo(Effort.RESTART);
    }
}
