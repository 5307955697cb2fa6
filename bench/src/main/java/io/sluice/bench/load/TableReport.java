package io.sluice.bench.load;

import java.util.Locale;
import java.util.OptionalDouble;

/** The figures as Markdown: medians per peer, then the subject's ratio to each peer. Pure. */
final class TableReport {
    private TableReport() {}

    static String of(Figures figures, String subject) {
        StringBuilder out = new StringBuilder("| measure |");
        figures.peers().forEach(peer -> out.append(' ').append(peer).append(" |"));
        figures.peers().stream()
                .filter(peer -> !peer.equals(subject))
                .forEach(peer -> out.append(" × ").append(peer).append(" |"));
        out.append("\n|---|");
        out.append("---:|".repeat(2 * figures.peers().size() - 1)).append('\n');
        for (Measure measure : Measure.values()) {
            row(out, figures, subject, measure);
        }
        return out.toString();
    }

    private static void row(StringBuilder out, Figures figures, String subject, Measure measure) {
        out.append("| ")
                .append(measure.title())
                .append(", ")
                .append(measure.unit())
                .append(" |");
        for (String peer : figures.peers()) {
            out.append(' ').append(text(figures.median(peer, measure))).append(" |");
        }
        for (String peer : figures.peers()) {
            if (!peer.equals(subject)) {
                out.append(' ')
                        .append(text(figures.ratio(subject, peer, measure)))
                        .append(" |");
            }
        }
        out.append('\n');
    }

    static String text(OptionalDouble value) {
        if (value.isEmpty()) {
            return "–";
        }
        double number = value.getAsDouble();
        String pattern =
                number >= 1000 ? "%,.0f" : number >= 100 ? "%.0f" : number >= 10 ? "%.1f" : "%.2f";
        return String.format(Locale.ROOT, pattern, number);
    }
}
