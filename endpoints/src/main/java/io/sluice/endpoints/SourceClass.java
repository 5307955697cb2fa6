package io.sluice.endpoints;

/** Where a client is, as far as policies care. */
public enum SourceClass {
    /** Another machine, or nothing known. */
    OUTSIDE,
    /** A pod of this node, by the local-traffic detector. */
    POD,
    /** A process of this node. */
    NODE
}
