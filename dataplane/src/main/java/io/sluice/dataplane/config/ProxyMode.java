package io.sluice.dataplane.config;

/** How bytes are carried. */
public enum ProxyMode {
    USERSPACE("userspace"),
    NFTABLES("nftables"),
    IPTABLES("iptables"),
    IPVS("ipvs");

    private final String word;

    ProxyMode(String word) {
        this.word = word;
    }

    /** As flags, files and {@code /proxyMode} say it. */
    public String word() {
        return word;
    }
}
