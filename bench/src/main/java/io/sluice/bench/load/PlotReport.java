package io.sluice.bench.load;

import java.util.List;
import java.util.Locale;
import java.util.OptionalDouble;

/** The figures as an SVG picture: one panel per measure, one bar per peer, the subject in colour. Pure. */
final class PlotReport {
    private static final int PANEL_WIDTH = 300;
    private static final int BAR_HEIGHT = 18;
    private static final int LABEL_WIDTH = 104;
    private static final int COLUMNS = 3;

    private PlotReport() {}

    static String of(Figures figures, String subject, String title) {
        List<String> peers = figures.peers();
        int panelHeight = 34 + BAR_HEIGHT * peers.size() + 12;
        Measure[] measures = Measure.values();
        int rows = (measures.length + COLUMNS - 1) / COLUMNS;
        StringBuilder out = new StringBuilder();
        out.append(format(
                "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" font-family=\"sans-serif\">\n",
                COLUMNS * PANEL_WIDTH + 20, rows * panelHeight + 50));
        out.append("<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n");
        out.append(format("<text x=\"16\" y=\"26\" font-size=\"16\">%s</text>\n", escape(title)));
        for (int i = 0; i < measures.length; i++) {
            int x = 10 + i % COLUMNS * PANEL_WIDTH;
            int y = 44 + i / COLUMNS * panelHeight;
            panel(out, figures, subject, measures[i], x, y);
        }
        return out.append("</svg>\n").toString();
    }

    private static void panel(
            StringBuilder out, Figures figures, String subject, Measure measure, int x, int y) {
        String better = measure.moreIsBetter() ? "more is better" : "less is better";
        out.append(format(
                "<text x=\"%d\" y=\"%d\" font-size=\"12\" font-weight=\"bold\">%s, %s"
                        + "<tspan font-weight=\"normal\" fill=\"#777\"> (%s)</tspan></text>\n",
                x, y + 14, escape(measure.title()), measure.unit(), better));
        double most = figures.peers().stream()
                .mapToDouble(peer -> figures.median(peer, measure).orElse(0))
                .max()
                .orElse(0);
        int top = y + 22;
        for (String peer : figures.peers()) {
            bar(out, peer, figures.median(peer, measure), most, peer.equals(subject), x, top);
            top += BAR_HEIGHT;
        }
    }

    private static void bar(
            StringBuilder out,
            String peer,
            OptionalDouble value,
            double most,
            boolean isSubject,
            int x,
            int top) {
        int room = PANEL_WIDTH - LABEL_WIDTH - 70;
        double width = value.isEmpty() || most == 0 ? 0 : room * value.getAsDouble() / most;
        out.append(format(
                "<text x=\"%d\" y=\"%d\" font-size=\"11\" text-anchor=\"end\">%s</text>\n",
                x + LABEL_WIDTH - 6, top + 12, escape(peer)));
        out.append(format(
                "<rect x=\"%d\" y=\"%d\" width=\"%.1f\" height=\"%d\" fill=\"%s\"/>\n",
                x + LABEL_WIDTH, top, width, BAR_HEIGHT - 4, isSubject ? "#1769aa" : "#b0bec5"));
        out.append(format(
                "<text x=\"%.1f\" y=\"%d\" font-size=\"11\">%s</text>\n",
                x + LABEL_WIDTH + width + 5, top + 12, TableReport.text(value)));
    }

    private static String escape(String text) {
        return text.replace("&", "&amp;").replace("<", "&lt;");
    }

    private static String format(String pattern, Object... values) {
        return String.format(Locale.ROOT, pattern, values);
    }
}
