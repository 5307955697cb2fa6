package io.sluice.cli.packets;

import io.sluice.api.net.IpFamily;
import io.sluice.rules.Fate;

import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.stream.Collectors;

/** One cell of the table. */
sealed interface Expected {

    /** @param receivers {@code name} or {@code name:port}; all of them receive in time */
    record Served(SortedSet<String> receivers, boolean masqueraded, boolean sticky)
            implements Expected {}

    record Refused() implements Expected {}

    record Silent() implements Expected {}

    record Untouched() implements Expected {}

    static Expected parse(String cell) {
        return switch (cell) {
            case "reject" -> new Refused();
            case "drop" -> new Silent();
            case "untouched" -> new Untouched();
            default -> served(cell);
        };
    }

    private static Served served(String cell) {
        SortedSet<String> words = new TreeSet<>(Set.of(cell.split(" ")));
        boolean masqueraded = words.remove("masq");
        boolean sticky = words.remove("sticky");
        if (words.isEmpty() || !LabPlan.PODS.containsAll(names(words))) {
            throw new IllegalArgumentException("cell \"" + cell + "\" names no pods");
        }
        return new Served(words, masqueraded, sticky);
    }

    private static Set<String> names(Set<String> receivers) {
        return receivers.stream().map(LabPlan::podOf).collect(Collectors.toSet());
    }

    /** As the planners say it. */
    default Fate fate(IpFamily family) {
        return switch (this) {
            case Served served ->
                new Fate.Forward(
                        served.receivers().stream()
                                .map(receiver -> LabPlan.endpoint(receiver, family))
                                .collect(Collectors.toCollection(TreeSet::new)),
                        served.masqueraded());
            case Refused refused -> new Fate.Reject();
            case Silent silent -> new Fate.Drop();
            case Untouched untouched -> new Fate.Untouched();
        };
    }
}
