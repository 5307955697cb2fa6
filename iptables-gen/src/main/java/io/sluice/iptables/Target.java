package io.sluice.iptables;

import io.sluice.endpoints.Backend;

/** What becomes of a packet that a rule matches; {@link #text} is iptables' own words. */
sealed interface Target {
    String text();

    /** The rule only carries its comment. */
    record Nothing() implements Target {
        @Override
        public String text() {
            return "";
        }
    }

    record Jump(String chain) implements Target {
        @Override
        public String text() {
            return "-j " + chain;
        }
    }

    record Return() implements Target {
        @Override
        public String text() {
            return "-j RETURN";
        }
    }

    record Accept() implements Target {
        @Override
        public String text() {
            return "-j ACCEPT";
        }
    }

    record Drop() implements Target {
        @Override
        public String text() {
            return "-j DROP";
        }
    }

    record Reject() implements Target {
        @Override
        public String text() {
            return "-j REJECT";
        }
    }

    record SetMark(int mark) implements Target {
        @Override
        public String text() {
            return "-j MARK --or-mark 0x%08x".formatted(mark);
        }
    }

    record FlipMark(int mark) implements Target {
        @Override
        public String text() {
            return "-j MARK --xor-mark 0x%08x".formatted(mark);
        }
    }

    /** From random ports, so that two clients with one port do not meet. */
    record Masquerade() implements Target {
        @Override
        public String text() {
            return "-j MASQUERADE --random-fully";
        }
    }

    record Dnat(Backend backend) implements Target {
        @Override
        public String text() {
            return "-j DNAT --to-destination " + backend.text();
        }
    }
}
