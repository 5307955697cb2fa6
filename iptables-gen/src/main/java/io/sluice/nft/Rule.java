package io.sluice.nft;

import java.util.List;

/** Statements, in turn, until one does not hold. */
public record Rule(List<Statement> statements) {
    static Rule of(Statement... statements) {
        return new Rule(List.of(statements));
    }
}
