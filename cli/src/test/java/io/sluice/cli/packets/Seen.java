package io.sluice.cli.packets;

import io.sluice.api.net.IpAddress;

/** What a client met. */
sealed interface Seen {

    /** @param client its address, as the server sees it */
    record Answer(String server, IpAddress client) implements Seen {
        static Answer parse(String line) {
            String[] words = line.strip().split(" ");
            return new Answer(words[0], IpAddress.of(words[1]));
        }
    }

    record Refusal() implements Seen {}

    record Silence() implements Seen {}

    /** The kernel told a sender of this very machine that a rule took its datagram; whether it is refused or dropped it does not tell. */
    record Forbidden() implements Seen {}

    /** Anything else, such as no route. */
    record Failure(String text) implements Seen {}
}
