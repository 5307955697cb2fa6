package io.sluice.bench.kernel;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/** Figures by subject and size, as Markdown and as a picture. Filled by one thread. */
final class Report {
    private static final int PANEL_WIDTH = 420;
    private static final int BAR = 18;
    private static final int LABEL = 190;
    private static final int COLUMNS = 2;

    private final Map<String, Map<Figure, Double>> values = new LinkedHashMap<>();

    /** @param subject at its size: {@code nftables, 1000 × 5} */
    void put(String subject, Figure figure, double value) {
        values.computeIfAbsent(subject, name -> new EnumMap<>(Figure.class)).put(figure, value);
    }

    private Optional<Double> value(String subject, Figure figure) {
        return Optional.ofNullable(values.get(subject).get(figure));
    }

    String table() {
        StringBuilder out = new StringBuilder("| |");
        values.keySet().forEach(subject -> out.append(' ').append(subject).append(" |"));
        out.append("\n|---|").append("---:|".repeat(values.size())).append('\n');
        for (Figure figure : Figure.values()) {
            out.append("| ").append(figure.title()).append(" |");
            for (String subject : values.keySet()) {
                out.append(' ')
                        .append(value(subject, figure).map(Report::text).orElse("–"))
                        .append(" |");
            }
            out.append('\n');
        }
        return out.toString();
    }

    /** SVG: one panel per figure, one bar per subject. */
    String plot() {
        List<Figure> figures = new ArrayList<>(List.of(Figure.values()));
        figures.removeIf(figure -> values.keySet().stream()
                .allMatch(subject -> value(subject, figure).isEmpty()));
        int height = 30 + BAR * values.size() + 14;
        int rows = (figures.size() + COLUMNS - 1) / COLUMNS;
        StringBuilder out = new StringBuilder(format(
                "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" font-family=\"sans-serif\">\n"
                        + "<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>\n",
                COLUMNS * PANEL_WIDTH + 20, rows * height + 20));
        for (int i = 0; i < figures.size(); i++) {
            panel(out, figures.get(i), 10 + i % COLUMNS * PANEL_WIDTH, 10 + i / COLUMNS * height);
        }
        return out.append("</svg>\n").toString();
    }

    private void panel(StringBuilder out, Figure figure, int x, int y) {
        out.append(format(
                "<text x=\"%d\" y=\"%d\" font-size=\"12\" font-weight=\"bold\">%s</text>\n",
                x, y + 14, figure.title()));
        double most = values.keySet().stream()
                .mapToDouble(subject -> value(subject, figure).orElse(0.0))
                .max()
                .orElse(0);
        int top = y + 22;
        for (String subject : values.keySet()) {
            double value = value(subject, figure).orElse(0.0);
            double width = most == 0 ? 0 : (PANEL_WIDTH - LABEL - 70) * value / most;
            out.append(format(
                    "<text x=\"%d\" y=\"%d\" font-size=\"11\" text-anchor=\"end\">%s</text>\n"
                            + "<rect x=\"%d\" y=\"%d\" width=\"%.1f\" height=\"%d\" fill=\"%s\"/>\n"
                            + "<text x=\"%.1f\" y=\"%d\" font-size=\"11\">%s</text>\n",
                    x + LABEL - 6,
                    top + 12,
                    subject,
                    x + LABEL,
                    top,
                    width,
                    BAR - 4,
                    subject.startsWith("chains") ? "#b0bec5" : "#1769aa",
                    x + LABEL + width + 5,
                    top + 12,
                    value(subject, figure).map(Report::text).orElse("–")));
            top += BAR;
        }
    }

    private static String text(double value) {
        String pattern =
                value >= 1000 ? "%,.0f" : value >= 100 ? "%.0f" : value >= 10 ? "%.1f" : "%.2f";
        return value == Math.rint(value)
                ? String.format(Locale.ROOT, "%,.0f", value)
                : String.format(Locale.ROOT, pattern, value);
    }

    private static String format(String pattern, Object... arguments) {
        return String.format(Locale.ROOT, pattern, arguments);
    }
}
