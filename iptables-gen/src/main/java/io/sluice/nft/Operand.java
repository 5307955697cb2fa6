package io.sluice.nft;

/** What a rule reads, as part of a key. */
public sealed interface Operand {

    /** A part of the packet, or of its connection. */
    enum Packet implements Operand {
        SOURCE_ADDRESS(Field.ADDRESS),
        DESTINATION_ADDRESS(Field.ADDRESS),
        PROTOCOL(Field.PROTOCOL),
        DESTINATION_PORT(Field.PORT),
        /** What {@link Statement.Pick} left there. */
        PRIORITY(Field.NUMBER);

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
}
