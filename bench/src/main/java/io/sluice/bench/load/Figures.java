package io.sluice.bench.load;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;

/** All values measured, by peer and measure. Pure; filled by one thread. */
final class Figures {
    private final Map<String, Map<Measure, List<Double>>> values = new LinkedHashMap<>();

    void add(String peer, Measure measure, double value) {
        values.computeIfAbsent(peer, name -> new EnumMap<>(Measure.class))
                .computeIfAbsent(measure, key -> new ArrayList<>())
                .add(value);
    }

    /** Peers in the order in which they were first measured. */
    List<String> peers() {
        return List.copyOf(values.keySet());
    }

    /** Empty where this peer has no such figure: a direct connection has no proxy CPU. */
    OptionalDouble median(String peer, Measure measure) {
        List<Double> all = values.getOrDefault(peer, Map.of()).getOrDefault(measure, List.of());
        if (all.isEmpty()) {
            return OptionalDouble.empty();
        }
        List<Double> sorted = all.stream().sorted().toList();
        int middle = sorted.size() / 2;
        double upper = sorted.get(middle);
        return OptionalDouble.of(
                sorted.size() % 2 == 1 ? upper : (sorted.get(middle - 1) + upper) / 2);
    }

    /** Median of the one over the median of the other; empty where one is missing or the divisor is 0. */
    OptionalDouble ratio(String peer, String other, Measure measure) {
        OptionalDouble mine = median(peer, measure);
        OptionalDouble theirs = median(other, measure);
        return mine.isEmpty() || theirs.isEmpty() || theirs.getAsDouble() == 0
                ? OptionalDouble.empty()
                : OptionalDouble.of(mine.getAsDouble() / theirs.getAsDouble());
    }
}
