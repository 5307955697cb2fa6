package io.sluice.api.selector;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.stream.Collectors;

/** Terms over field values that must all hold; without any it matches everything. */
public record FieldSelector(List<Term> terms) {
    public static final FieldSelector EVERYTHING = new FieldSelector(List.of());

    /** @param equal false for {@code !=} */
    public record Term(String field, boolean equal, String value) {
        @Override
        public String toString() {
            return field + (equal ? "=" : "!=") + escape(value);
        }
    }

    /**
     * Parses {@code a=b,c==d,e!=f}; in values a backslash escapes comma, equals sign and backslash. Which fields a kind knows is
     * the caller's to check.
     */
    public static FieldSelector parse(String text) throws SelectorException {
        List<Term> out = new ArrayList<>();
        for (String term : split(text)) {
            if (!term.isEmpty()) {
                out.add(parseTerm(term));
            }
        }
        return out.isEmpty() ? EVERYTHING : new FieldSelector(List.copyOf(out));
    }

    private static List<String> split(String text) {
        List<String> out = new ArrayList<>();
        int start = 0;
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c == '\\') {
                i++;
            } else if (c == ',') {
                out.add(text.substring(start, i));
                start = i + 1;
            }
        }
        out.add(text.substring(start));
        return out;
    }

    private static Term parseTerm(String term) throws SelectorException {
        for (int i = 0; i < term.length(); i++) {
            char c = term.charAt(i);
            char next = i + 1 < term.length() ? term.charAt(i + 1) : 0;
            if (c == '!' && next == '=') {
                return new Term(term.substring(0, i), false, unescape(term.substring(i + 2)));
            }
            if (c == '=') {
                return new Term(
                        term.substring(0, i),
                        true,
                        unescape(term.substring(next == '=' ? i + 2 : i + 1)));
            }
        }
        throw new SelectorException(
                "invalid selector: '" + term + "'; can't understand '" + term + "'");
    }

    private static String unescape(String value) throws SelectorException {
        StringBuilder out = new StringBuilder(value.length());
        for (int i = 0; i < value.length(); i++) {
            char c = value.charAt(i);
            if (c == '\\') {
                char next = ++i < value.length() ? value.charAt(i) : 0;
                if (next != '\\' && next != ',' && next != '=') {
                    throw new SelectorException(
                            "invalid field selector: invalid escape sequence in: " + value);
                }
                out.append(next);
            } else if (c == ',' || c == '=') {
                throw new SelectorException(
                        "invalid field selector: unescaped " + c + " in: " + value);
            } else {
                out.append(c);
            }
        }
        return out.toString();
    }

    private static String escape(String value) {
        return value.replace("\\", "\\\\").replace(",", "\\,").replace("=", "\\=");
    }

    public boolean isEverything() {
        return terms.isEmpty();
    }

    /** @param values gives a field's value; empty text where the object has none */
    public boolean matches(Function<String, String> values) {
        for (Term term : terms) {
            if (values.apply(term.field()).equals(term.value()) != term.equal()) {
                return false;
            }
        }
        return true;
    }

    @Override
    public String toString() {
        return terms.stream().map(Term::toString).collect(Collectors.joining(","));
    }
}
