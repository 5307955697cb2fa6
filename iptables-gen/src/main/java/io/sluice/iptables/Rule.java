package io.sluice.iptables;

import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** One rule. @param comment empty for none */
record Rule(String comment, List<Match> matches, Target target) {

    static Rule of(String comment, Target target, Match... matches) {
        return new Rule(comment, List.of(matches), target);
    }

    /** Without the chain it is in. */
    String text() {
        String note = comment.isEmpty() ? "" : "-m comment --comment \"" + comment + '"';
        return Stream.concat(
                        Stream.concat(Stream.of(note), matches.stream().map(Match::text)),
                        Stream.of(target.text()))
                .filter(word -> !word.isEmpty())
                .collect(Collectors.joining(" "));
    }
}
