package io.sluice.iptables;

import io.sluice.api.net.Cidr;
import io.sluice.api.net.Protocol;

import java.util.Locale;

/** What a rule asks of a packet; {@link #text} is iptables' own words. */
sealed interface Match {
    String text();

    private static String not(boolean negated) {
        return negated ? "! " : "";
    }

    record From(Cidr block, boolean negated) implements Match {
        @Override
        public String text() {
            return not(negated) + "-s " + block;
        }
    }

    record To(Cidr block, boolean negated) implements Match {
        @Override
        public String text() {
            return not(negated) + "-d " + block;
        }
    }

    /** @param name with a plus sign at its end, of all interfaces that begin so */
    record In(String name, boolean negated) implements Match {
        @Override
        public String text() {
            return not(negated) + "-i " + name;
        }
    }

    record FromLocal() implements Match {
        @Override
        public String text() {
            return "-m addrtype --src-type LOCAL";
        }
    }

    record ToLocal() implements Match {
        @Override
        public String text() {
            return "-m addrtype --dst-type LOCAL";
        }
    }

    record OfProtocol(Protocol protocol) implements Match {
        @Override
        public String text() {
            String word = protocol.name().toLowerCase();
            return "-p " + word + " -m " + word;
        }
    }

    /** After the protocol. */
    record ToPort(int port) implements Match {
        @Override
        public String text() {
            return "--dport " + port;
        }
    }

    /** @param states with commas between */
    record InState(String states, boolean negated) implements Match {
        @Override
        public String text() {
            return "-m conntrack " + not(negated) + "--ctstate " + states;
        }
    }

    record Marked(int mark, boolean negated) implements Match {
        @Override
        public String text() {
            return "-m mark " + not(negated) + "--mark 0x%08x/0x%08x".formatted(mark, mark);
        }
    }

    /** One packet in {@code ways}. */
    record Chance(int ways) implements Match {
        @Override
        public String text() {
            return String.format(
                    Locale.ROOT, "-m statistic --mode random --probability %.10f", 1.0 / ways);
        }
    }

    /** Clients that this endpoint served within the time. */
    record Remembered(String list, int seconds) implements Match {
        @Override
        public String text() {
            return "-m recent --name " + list + " --rcheck --seconds " + seconds + " --reap";
        }
    }

    /** Always true; remembers the client. */
    record Remember(String list) implements Match {
        @Override
        public String text() {
            return "-m recent --name " + list + " --set";
        }
    }
}
