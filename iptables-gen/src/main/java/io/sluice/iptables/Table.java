package io.sluice.iptables;

/** The tables that hold rules of ours, in the order of restores. */
public enum Table {
    FILTER("filter"),
    NAT("nat"),
    /** Only a canary. */
    MANGLE("mangle");

    private final String text;

    Table(String text) {
        this.text = text;
    }

    public String text() {
        return text;
    }
}
