package io.sluice.ipvs;

/** One request to the kernel. */
public sealed interface Operation {

    /** Without its real servers; those follow. */
    record AddServer(VirtualServer server) implements Operation {}

    /** Other scheduler or persistence; its real servers stay. */
    record EditServer(VirtualServer server) implements Operation {}

    /** With all that is behind it. */
    record DeleteServer(ServerAddress at) implements Operation {}

    /** With weight 1. */
    record AddReal(ServerAddress at, RealServer real) implements Operation {}

    /** Weight 0: its connections go on, and no new one comes. Weight 1: it is back. */
    record SetWeight(ServerAddress at, RealServer real, int weight) implements Operation {}

    /** Connections that it still has end. */
    record DeleteReal(ServerAddress at, RealServer real) implements Operation {}
}
