package io.sluice.cli.packets;

import java.util.List;
import java.util.stream.Stream;

/** Where a packet of the table goes. */
enum Knock {
    CLUSTER_IP("ClusterIP"),
    EXTERNAL_IP("externalIP"),
    VIP("VIP"),
    NODE_PORT("NodePort"),
    UNUSED_PORT("unused port"),
    UNALLOCATED("unallocated address"),
    OTHER_NODE_PORT("NodePort on another address"),
    LOCAL_NODE_PORT("NodePort on localhost");

    final String text;

    Knock(String text) {
        this.text = text;
    }

    static List<Knock> parse(String cell) {
        return Stream.of(cell.split(",")).map(word -> of(word.strip())).toList();
    }

    private static Knock of(String word) {
        return Stream.of(values())
                .filter(knock -> knock.text.equals(word))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("no such frontend: " + word));
    }

    /** Whether the address is one of the node's own, rules or no rules. */
    boolean onTheNode() {
        return this == NODE_PORT || this == OTHER_NODE_PORT || this == LOCAL_NODE_PORT;
    }
}
