package io.sluice.apiserver.kinds;

import com.fasterxml.jackson.databind.node.ObjectNode;

import io.sluice.api.meta.GroupVersionKind;
import io.sluice.api.meta.GroupVersionResource;
import io.sluice.api.meta.Names;
import io.sluice.apiserver.registry.Column;
import io.sluice.apiserver.registry.Kind;
import io.sluice.apiserver.registry.Strategy;
import io.sluice.apiserver.schema.SchemaLibrary;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;

/** One entry of the table of kinds. What is not said has the value most kinds have. */
final class KindBuilder {
    private static final Set<String> ALL_VERBS = Set.of(
            "create", "delete", "deletecollection", "get", "list", "patch", "update", "watch");

    private final GroupVersionKind gvk;
    private final String plural;
    private final String table;
    private List<String> shortNames = List.of();
    private List<String> categories = List.of();
    private boolean namespaced = true;
    private Set<String> verbs = ALL_VERBS;
    private Set<String> subresources = Set.of();
    private String storage;
    private Function<String, List<String>> nameRule = Names::dnsSubdomain;
    private Strategy strategy = Strategy.PLAIN;
    private final List<Column> columns = new ArrayList<>();
    private final Map<String, Function<ObjectNode, String>> selectors = new LinkedHashMap<>();
    private Kind.Conversion conversion = Kind.Conversion.NONE;

    /** @param table schema table that has the kind's type: {@code core-v1} */
    KindBuilder(String group, String version, String kind, String plural, String table) {
        this.gvk = new GroupVersionKind(group, version, kind);
        this.plural = plural;
        this.table = table;
        this.storage = "/registry/" + plural + '/';
    }

    static KindBuilder core(String kind, String plural) {
        return new KindBuilder("", "v1", kind, plural, "core-v1");
    }

    KindBuilder shortNames(String... names) {
        shortNames = List.of(names);
        return this;
    }

    KindBuilder categories(String... names) {
        categories = List.of(names);
        return this;
    }

    KindBuilder cluster() {
        namespaced = false;
        return this;
    }

    /** Without deletecollection, as Services and Namespaces. */
    KindBuilder without(String verb) {
        Set<String> rest = new HashSet<>(verbs);
        rest.remove(verb);
        verbs = Set.copyOf(rest);
        return this;
    }

    KindBuilder subresources(String... names) {
        subresources = Set.of(names);
        return this;
    }

    /** Path below {@code /registry/}, without slashes around. */
    KindBuilder storage(String path) {
        storage = "/registry/" + path + '/';
        return this;
    }

    KindBuilder names(Function<String, List<String>> rule) {
        nameRule = rule;
        return this;
    }

    KindBuilder strategy(Strategy special) {
        strategy = special;
        return this;
    }

    /** Between the name and the age. */
    KindBuilder columns(List<Column> between) {
        columns.addAll(between);
        return this;
    }

    KindBuilder select(String path, Function<ObjectNode, String> value) {
        selectors.put(path, value);
        return this;
    }

    KindBuilder conversion(Kind.Conversion between) {
        conversion = between;
        return this;
    }

    Kind build() {
        return build(true);
    }

    /** @param standardColumns false where the columns given are all there are */
    Kind build(boolean standardColumns) {
        List<Column> all = new ArrayList<>();
        if (standardColumns) {
            all.add(Columns.NAME);
        }
        columns.stream().filter(column -> column.priority() == 0).forEach(all::add);
        if (standardColumns) {
            all.add(Columns.AGE);
        }
        columns.stream().filter(column -> column.priority() > 0).forEach(all::add);
        boolean status = subresources.contains("status");
        return new Kind(
                gvk,
                new GroupVersionResource(gvk.group(), gvk.version(), plural),
                gvk.kind().toLowerCase(Locale.ROOT),
                shortNames,
                categories,
                namespaced,
                verbs,
                subresources,
                storage,
                SchemaLibrary.shared().struct(table, gvk.kind()),
                new CheckedStrategy(strategy, namespaced, nameRule, status),
                List.copyOf(all),
                Map.copyOf(selectors),
                conversion);
    }
}
