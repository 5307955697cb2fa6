package io.sluice.apiserver.rest;

import io.sluice.api.meta.GroupVersionKind;
import io.sluice.api.selector.FieldSelector;
import io.sluice.api.selector.LabelSelector;
import io.sluice.api.selector.SelectorException;
import io.sluice.apiserver.registry.FieldError;
import io.sluice.apiserver.registry.FieldError.Type;
import io.sluice.apiserver.registry.Kind;
import io.sluice.apiserver.registry.Statuses;
import io.sluice.apiserver.watchcache.Selection;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * Parameters of a list or watch, checked.
 *
 * @param version empty where the client named none
 * @param timeoutSeconds 0 where the client named none
 */
public record ReadOptions(
        Selection selection,
        boolean watch,
        OptionalLong version,
        Match match,
        long limit,
        Optional<ContinueToken> token,
        boolean bookmarks,
        Optional<Boolean> initialEvents,
        long timeoutSeconds) {

    /** {@code resourceVersionMatch}. */
    public enum Match {
        UNSET,
        EXACT,
        NOT_OLDER_THAN
    }

    private static final GroupVersionKind LIST_OPTIONS =
            new GroupVersionKind("meta.k8s.io", "", "ListOptions");

    /** @throws io.sluice.apiserver.registry.ApiException 400 or 422, naming the parameter */
    public static ReadOptions of(Kind kind, String namespace, Query query) {
        List<FieldError> errors = query.flag("watch") ? watchErrors(query) : listErrors(query);
        if (!errors.isEmpty()) {
            throw Statuses.invalid(LIST_OPTIONS, "", errors);
        }
        long limit = query.number("limit").orElse(0);
        if (limit < 0) {
            throw Statuses.badRequest("limit must not be negative, found " + limit);
        }
        String token = query.text("continue");
        if (!token.isEmpty() && !isUnset(query.text("resourceVersion"))) {
            throw Statuses.badRequest(
                    "specifying resource version is not allowed when using continue");
        }
        return new ReadOptions(
                selection(kind, namespace, query),
                query.flag("watch"),
                version(query.text("resourceVersion")),
                match(query.text("resourceVersionMatch")),
                limit,
                token.isEmpty() ? Optional.empty() : Optional.of(ContinueToken.decode(token)),
                query.flag("allowWatchBookmarks"),
                query.maybeFlag("sendInitialEvents"),
                Math.max(0, query.number("timeoutSeconds").orElse(0)));
    }

    /** For one object: what {@code fieldSelector=metadata.name=…} does. */
    public ReadOptions withName(String name) {
        List<FieldSelector.Term> terms = new ArrayList<>(selection.fields().terms());
        terms.add(new FieldSelector.Term("metadata.name", true, name));
        return new ReadOptions(
                new Selection(selection.namespace(), selection.labels(), new FieldSelector(terms)),
                watch,
                version,
                match,
                limit,
                token,
                bookmarks,
                initialEvents,
                timeoutSeconds);
    }

    private static boolean isUnset(String version) {
        return version.isEmpty() || version.equals("0");
    }

    private static OptionalLong version(String text) {
        return text.isEmpty() ? OptionalLong.empty() : OptionalLong.of(parseVersion(text));
    }

    /** @throws io.sluice.apiserver.registry.ApiException 400 if the text is no version */
    static long parseVersion(String text) {
        boolean digits = !text.isEmpty() && text.chars().allMatch(c -> c >= '0' && c <= '9');
        if (digits && text.length() <= 18) {
            return Long.parseLong(text);
        }
        throw Statuses.badRequest(
                "resourceVersion: Invalid value: \"" + text + "\": must be an unsigned integer");
    }

    private static Match match(String text) {
        return switch (text) {
            case "Exact" -> Match.EXACT;
            case "NotOlderThan" -> Match.NOT_OLDER_THAN;
            default -> Match.UNSET;
        };
    }

    private static List<FieldError> listErrors(Query query) {
        List<FieldError> out = new ArrayList<>();
        String match = query.text("resourceVersionMatch");
        if (!match.isEmpty()) {
            if (query.text("resourceVersion").isEmpty()) {
                out.add(forbidden(
                        "resourceVersionMatch is forbidden unless resourceVersion is provided"));
            }
            if (!query.text("continue").isEmpty()) {
                out.add(forbidden("resourceVersionMatch is forbidden when continue is provided"));
            }
            if (match(match) == Match.UNSET) {
                out.add(notSupported(match, "\"\", \"Exact\", \"NotOlderThan\""));
            }
            if (match(match) == Match.EXACT && query.text("resourceVersion").equals("0")) {
                out.add(forbidden(
                        "resourceVersionMatch \"exact\" is forbidden for resourceVersion \"0\""));
            }
        }
        if (query.has("sendInitialEvents")) {
            out.add(new FieldError(
                    Type.FORBIDDEN,
                    "sendInitialEvents",
                    "Forbidden: sendInitialEvents is forbidden for list"));
        }
        return out;
    }

    private static List<FieldError> watchErrors(Query query) {
        List<FieldError> out = new ArrayList<>();
        String match = query.text("resourceVersionMatch");
        boolean initial = query.has("sendInitialEvents");
        if (initial && match(match) != Match.NOT_OLDER_THAN) {
            out.add(forbidden(
                    "sendInitialEvents requires setting resourceVersionMatch to NotOlderThan"));
        }
        if (!match.isEmpty()) {
            if (!initial) {
                out.add(forbidden("resourceVersionMatch is forbidden for watch unless"
                        + " sendInitialEvents is provided"));
            }
            if (match(match) != Match.NOT_OLDER_THAN) {
                out.add(notSupported(match, "\"NotOlderThan\""));
            }
            if (!query.text("continue").isEmpty()) {
                out.add(forbidden("resourceVersionMatch is forbidden when continue is provided"));
            }
        }
        return out;
    }

    private static FieldError forbidden(String text) {
        return new FieldError(Type.FORBIDDEN, "resourceVersionMatch", "Forbidden: " + text);
    }

    private static FieldError notSupported(String value, String supported) {
        return new FieldError(
                Type.NOT_SUPPORTED,
                "resourceVersionMatch",
                "Unsupported value: \"" + value + "\": supported values: " + supported);
    }

    private static Selection selection(Kind kind, String namespace, Query query) {
        try {
            FieldSelector fields = FieldSelector.parse(query.text("fieldSelector"));
            fields.terms().forEach(term -> checkField(kind, term.field()));
            return new Selection(
                    namespace, LabelSelector.parse(query.text("labelSelector")), fields);
        } catch (SelectorException e) {
            throw Statuses.badRequest(e.getMessage());
        }
    }

    private static void checkField(Kind kind, String field) {
        boolean known = field.equals("metadata.name")
                || field.equals("metadata.namespace")
                || kind.fieldSelectors().containsKey(field);
        if (!known) {
            throw Statuses.badRequest(
                    kind.fieldSelectors().isEmpty()
                            ? '"' + field + "\" is not a known field selector: only"
                                    + " \"metadata.name\", \"metadata.namespace\""
                            : "field label not supported: " + field);
        }
    }
}
