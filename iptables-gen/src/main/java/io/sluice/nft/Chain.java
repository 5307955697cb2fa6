package io.sluice.nft;

import java.util.List;
import java.util.Optional;

/** A list of rules. @param hook where packets enter it; empty where only other chains lead here */
public record Chain(String name, Optional<Hook> hook, List<Rule> rules) {

    /** Where packets meet a base chain; numbers as in {@code include/uapi/linux/netfilter.h}. */
    public enum Point {
        PREROUTING(0),
        INPUT(1),
        FORWARD(2),
        OUTPUT(3),
        POSTROUTING(4);

        private final int number;

        Point(int number) {
            this.number = number;
        }

        public int number() {
            return number;
        }

        /** nft's word. */
        public String word() {
            return name().toLowerCase(java.util.Locale.ROOT);
        }
    }

    /** @param nat whether it translates; else it filters @param priority lower comes first */
    public record Hook(boolean nat, Point point, int priority) {}
}
