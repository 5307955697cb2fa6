package io.sluice.nft;

/** One change to a table. */
public sealed interface Command {

    record AddTable() implements Command {}

    record DeleteTable() implements Command {}

    /** Without its rules. */
    record AddChain(Chain chain) implements Command {}

    /** Takes all rules out. */
    record FlushChain(String chain) implements Command {}

    /** At the end. */
    record AddRule(String chain, Rule rule) implements Command {}

    record AddSet(SetSpec set) implements Command {}

    record DeleteSet(String set) implements Command {}

    record AddElement(Element element) implements Command {}

    record DeleteElement(Element element) implements Command {}
}
