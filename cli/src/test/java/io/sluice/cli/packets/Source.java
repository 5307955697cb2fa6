package io.sluice.cli.packets;

/** Who connects. */
enum Source {
    /** The client pod of node A. */
    POD,
    /** A process of node A. */
    NODE,
    /** A machine off both nodes. */
    OUTSIDE,
    /** The first endpoint on node A. */
    HAIRPIN;

    String text() {
        return name().toLowerCase();
    }
}
