package io.sluice.cli.packets;

import io.sluice.cli.packets.PacketTable.Question;
import io.sluice.rules.Fate;

/** What one mode does to the table's packets, without sending them. */
interface Tracer {

    Fate fate(Situation situation, Question question);

    /** False where the mode has no answer to give without a kernel. */
    default boolean canBeAsked(Question question) {
        return true;
    }
}
