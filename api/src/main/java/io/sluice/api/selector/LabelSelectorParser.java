package io.sluice.api.selector;

import io.sluice.api.meta.Names;
import io.sluice.api.selector.Requirement.Operator;

import java.util.ArrayList;
import java.util.List;

/** The text grammar: {@code a=b, c!=d, e in (f,g), h notin (i), j, !k, l>1, m<2}. One use per text. */
final class LabelSelectorParser {
    private final String text;
    private int position;

    private LabelSelectorParser(String text) {
        this.text = text;
    }

    static LabelSelector parse(String text) throws SelectorException {
        return new LabelSelectorParser(text).parseAll();
    }

    private LabelSelector parseAll() throws SelectorException {
        List<Requirement> out = new ArrayList<>();
        if (peek() == 0) {
            return LabelSelector.EVERYTHING;
        }
        do {
            out.add(parseRequirement());
        } while (accept(','));
        if (peek() != 0) {
            throw unexpected("',' or end");
        }
        return new LabelSelector(List.copyOf(out));
    }

    private Requirement parseRequirement() throws SelectorException {
        if (accept('!')) {
            return checked(word("key"), Operator.DOES_NOT_EXIST, List.of());
        }
        String key = word("key");
        char next = peek();
        switch (next) {
            case 0, ',' -> {
                return checked(key, Operator.EXISTS, List.of());
            }
            case '=' -> {
                position++;
                if (position < text.length() && text.charAt(position) == '=') {
                    position++;
                }
                return checked(key, Operator.IN, List.of(value()));
            }
            case '!' -> {
                position++;
                if (position >= text.length() || text.charAt(position++) != '=') {
                    throw unexpected("'!='");
                }
                return checked(key, Operator.NOT_IN, List.of(value()));
            }
            case '>' -> {
                position++;
                return checked(key, Operator.GREATER_THAN, List.of(value()));
            }
            case '<' -> {
                position++;
                return checked(key, Operator.LESS_THAN, List.of(value()));
            }
            default -> {
                return parseSet(key);
            }
        }
    }

    private Requirement parseSet(String key) throws SelectorException {
        String word = word("operator");
        Operator operator = switch (word) {
            case "in" -> Operator.IN;
            case "notin" -> Operator.NOT_IN;
            default ->
                throw new SelectorException("unable to parse requirement: found '" + word
                        + "', expected: in, notin, =, ==, !=, gt, lt");
        };
        if (!accept('(')) {
            throw unexpected("'('");
        }
        List<String> values = new ArrayList<>();
        do {
            values.add(value());
        } while (accept(','));
        if (!accept(')')) {
            throw unexpected("',' or ')'");
        }
        return checked(key, operator, values.stream().sorted().distinct().toList());
    }

    static Requirement checked(String key, Operator operator, List<String> values)
            throws SelectorException {
        List<String> problems = Names.qualifiedName(key);
        if (!problems.isEmpty()) {
            throw new SelectorException(
                    "key: Invalid value: \"" + key + "\": " + String.join("; ", problems));
        }
        checkCount(key, operator, values);
        for (int i = 0; i < values.size(); i++) {
            String value = values.get(i);
            List<String> wrong = Names.labelValue(value);
            if (!wrong.isEmpty()) {
                throw new SelectorException("values[" + i + "][" + key + "]: Invalid value: \""
                        + value + "\": " + String.join("; ", wrong));
            }
        }
        return new Requirement(key, operator, List.copyOf(values));
    }

    private static void checkCount(String key, Operator operator, List<String> values)
            throws SelectorException {
        switch (operator) {
            case IN, NOT_IN -> {
                if (values.isEmpty()) {
                    throw new SelectorException(
                            "values: Invalid value: []: for 'in', 'notin' operators, values set can't be empty (key \""
                                    + key + "\")");
                }
            }
            case EXISTS, DOES_NOT_EXIST -> {
                if (!values.isEmpty()) {
                    throw new SelectorException(
                            "values: Invalid value: values set must be empty for exists and does not exist (key \""
                                    + key + "\")");
                }
            }
            case GREATER_THAN, LESS_THAN -> {
                if (values.size() != 1 || !values.getFirst().matches("-?[0-9]{1,18}")) {
                    throw new SelectorException(
                            "values[0]: Invalid value: for 'Gt', 'Lt' operators, the value must be an integer (key \""
                                    + key + "\")");
                }
            }
        }
    }

    /** A value may be empty: {@code a=}. */
    private String value() {
        skipBlanks();
        int start = position;
        while (position < text.length() && isWord(text.charAt(position))) {
            position++;
        }
        return text.substring(start, position);
    }

    private String word(String what) throws SelectorException {
        String word = value();
        if (word.isEmpty()) {
            throw unexpected(what);
        }
        return word;
    }

    private static boolean isWord(char c) {
        return "=!(),<> \t\r\n".indexOf(c) < 0;
    }

    private void skipBlanks() {
        while (position < text.length() && " \t\r\n".indexOf(text.charAt(position)) >= 0) {
            position++;
        }
    }

    private char peek() {
        skipBlanks();
        return position < text.length() ? text.charAt(position) : 0;
    }

    private boolean accept(char c) {
        if (peek() != c) {
            return false;
        }
        position++;
        return true;
    }

    private SelectorException unexpected(String expected) {
        String found = position < text.length() ? "'" + text.substring(position) + "'" : "the end";
        return new SelectorException(
                "unable to parse requirement: found " + found + ", expected " + expected);
    }
}
