package io.sluice.nft;

import java.util.List;

/** What a rule reads, as part of a key. */
public sealed interface Operand {

    /** A part of the packet, or of its connection. */
    enum Packet implements Operand {
        SOURCE_ADDRESS(Field.ADDRESS),
        DESTINATION_ADDRESS(Field.ADDRESS),
        PROTOCOL(Field.PROTOCOL),
        DESTINATION_PORT(Field.PORT),
        /** To which the client connected, before any translation. */
        ORIGINAL_ADDRESS(Field.ADDRESS),
        ORIGINAL_PORT(Field.PORT);

        private final Field field;

        Packet(Field field) {
            this.field = field;
        }

        Field field() {
            return field;
        }
    }

    /** A number below the modulus, by chance. */
    record Random(int modulus) implements Operand {}

    /** What a map says of a key; the rule does not match where it says nothing. */
    record Mapped(List<Operand> key, String map) implements Operand {}
}
