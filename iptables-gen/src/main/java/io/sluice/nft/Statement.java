package io.sluice.nft;

import io.sluice.api.net.Cidr;

import java.util.List;

/** One step of a rule: a condition that ends the rule where it does not hold, or an action. */
public sealed interface Statement {

    /** Whether the set has the key. */
    record In(List<Operand> key, String set, boolean negated) implements Statement {}

    /** Whether the address is in the block. @param destination else the source */
    record Block(boolean destination, Cidr block, boolean negated) implements Statement {}

    /** Whether it came in through an interface of this name. @param prefix whether the name may go on */
    record InInterface(String name, boolean prefix, boolean negated) implements Statement {}

    /** Whether it belongs to no connection yet. */
    record NewConnection() implements Statement {}

    /** Whether its connection is sent elsewhere than the client asked. */
    record Translated() implements Statement {}

    /** Whether the source is an address of this node. */
    record SourceLocal() implements Statement {}

    record Marked(int mark) implements Statement {}

    record SetMark(int mark) implements Statement {}

    record ToggleMark(int mark) implements Statement {}

    /** Sends the connection where the map says; the rule does not match where it says nothing. */
    record Translate(List<Operand> key, String map) implements Statement {}

    /**
     * Puts what the map says, a number, into the packet's priority; the rule does not match where it says nothing. There is no other
     * place in which rules could leave something to each other that nobody else reads: it lasts for the first packet of a
     * connection, and forwarding sets it anew.
     */
    record Pick(List<Operand> key, String map) implements Statement {}

    /** Takes out what was remembered: to remember something else is not enough, it only lasts longer then. */
    record Forget(List<Operand> key, String map) implements Statement {}

    /** Remembers the packet's priority, or what is there already, for so long again. */
    record Remember(List<Operand> key, String map, int seconds) implements Statement {}

    record Masquerade() implements Statement {}

    /** ICMP port unreachable: a client with TCP sees its connection refused. */
    record Reject() implements Statement {}

    record Drop() implements Statement {}

    record Jump(String chain) implements Statement {}

    record Goto(String chain) implements Statement {}
}
