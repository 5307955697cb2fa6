package io.sluice.api.meta;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/** The forms of names Kubernetes allows. Each check returns what is wrong, in the API's words; empty means fine. */
public final class Names {
    private static final Pattern LABEL = Pattern.compile("[a-z0-9]([-a-z0-9]*[a-z0-9])?");
    private static final Pattern LABEL_1035 = Pattern.compile("[a-z]([-a-z0-9]*[a-z0-9])?");
    private static final Pattern SUBDOMAIN =
            Pattern.compile("[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*");
    private static final Pattern QUALIFIED =
            Pattern.compile("([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]");

    private static final int MOST_CHECKED = 1024;

    private Names() {}

    /** RFC 1123 label: at most 63 of {@code a-z0-9-}. */
    public static List<String> dnsLabel(String text) {
        return check(
                text,
                63,
                LABEL,
                "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and"
                        + " end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is"
                        + " '[a-z0-9]([-a-z0-9]*[a-z0-9])?')");
    }

    /** RFC 1035 label: as above, and starts with a letter; names of Services. */
    public static List<String> dns1035Label(String text) {
        return check(
                text,
                63,
                LABEL_1035,
                "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic"
                        + " character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for"
                        + " validation is '[a-z]([-a-z0-9]*[a-z0-9])?')");
    }

    /** RFC 1123 subdomain: labels joined by dots, at most 253. */
    public static List<String> dnsSubdomain(String text) {
        return check(
                text,
                253,
                SUBDOMAIN,
                "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must"
                        + " start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is"
                        + " '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')");
    }

    /** Label and annotation keys: {@code [prefix/]name}. */
    public static List<String> qualifiedName(String text) {
        List<String> out = new ArrayList<>();
        int slash = text.indexOf('/');
        String name = text.substring(slash + 1);
        if (name.indexOf('/') >= 0) {
            out.add("a qualified name " + QUALIFIED_RULE
                    + " with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')");
            return out;
        }
        if (slash == 0) {
            out.add("prefix part must be non-empty");
        } else if (slash > 0) {
            dnsSubdomain(text.substring(0, slash))
                    .forEach(problem -> out.add("prefix part " + problem));
        }
        if (name.isEmpty()) {
            out.add("name part must be non-empty");
        } else if (name.length() > 63) {
            out.add("name part must be no more than 63 characters");
        }
        if (!QUALIFIED.matcher(name).matches()) {
            out.add("name part " + QUALIFIED_RULE);
        }
        return out;
    }

    private static final String QUALIFIED_RULE =
            "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character"
                    + " (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is"
                    + " '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";

    /** Label values: empty, or at most 63 of the qualified characters. */
    public static List<String> labelValue(String text) {
        if (text.isEmpty()) {
            return List.of();
        }
        return check(
                text,
                63,
                QUALIFIED,
                "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must"
                        + " start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex"
                        + " used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')");
    }

    private static List<String> check(String text, int most, Pattern pattern, String rule) {
        List<String> out = new ArrayList<>();
        if (text.length() > most) {
            out.add("must be no more than " + most + " characters");
        }
        // Repeated groups recurse once per label, so a text beyond all bounds must not reach them.
        if (text.length() <= MOST_CHECKED && !pattern.matcher(text).matches()) {
            out.add(rule);
        }
        return out;
    }
}
