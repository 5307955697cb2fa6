package io.sluice.api.net;

/** The two address families a Service can have; the words of {@code spec.ipFamilies}. */
public enum IpFamily {
    IPV4("IPv4", 32),
    IPV6("IPv6", 128);

    private final String text;
    private final int bits;

    IpFamily(String text, int bits) {
        this.text = text;
        this.bits = bits;
    }

    /** As the Kubernetes API writes it: {@code IPv4} or {@code IPv6}. */
    public String text() {
        return text;
    }

    /** Address length in bits: 32 or 128. */
    public int bits() {
        return bits;
    }
}
