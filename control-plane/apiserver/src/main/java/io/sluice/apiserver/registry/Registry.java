package io.sluice.apiserver.registry;

import io.sluice.api.meta.GroupVersionKind;
import io.sluice.api.meta.GroupVersionResource;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** All kinds the server serves, in the order discovery lists them. Immutable. */
public final class Registry {
    private final List<Kind> kinds;
    private final Map<GroupVersionResource, Kind> byResource = new LinkedHashMap<>();
    private final Map<GroupVersionKind, Kind> byKind = new LinkedHashMap<>();
    private final Map<String, Set<String>> versions = new LinkedHashMap<>();

    /** @throws IllegalArgumentException if two kinds have one name */
    public Registry(List<Kind> kinds) {
        this.kinds = List.copyOf(kinds);
        for (Kind kind : kinds) {
            Kind other = byResource.putIfAbsent(kind.resource(), kind);
            if (other != null || byKind.putIfAbsent(kind.gvk(), kind) != null) {
                throw new IllegalArgumentException(
                        "two kinds are registered as " + kind.resource() + " (" + kind.gvk() + ')');
            }
            versions.computeIfAbsent(kind.resource().group(), _ -> new LinkedHashSet<>())
                    .add(kind.resource().version());
        }
    }

    public List<Kind> kinds() {
        return kinds;
    }

    public Optional<Kind> find(String group, String version, String resource) {
        return Optional.ofNullable(
                byResource.get(new GroupVersionResource(group, version, resource)));
    }

    public Optional<Kind> find(GroupVersionKind gvk) {
        return Optional.ofNullable(byKind.get(gvk));
    }

    /** A kind the server itself needs. */
    public Kind require(String group, String version, String resource) {
        return find(group, version, resource)
                .orElseThrow(() -> new IllegalStateException("the server needs the resource "
                        + new GroupVersionResource(group, version, resource)
                        + ", which is not registered"));
    }

    /** Groups with their versions, both in registration order; the core group is the empty text. */
    public Map<String, Set<String>> versions() {
        return versions;
    }

    /** Kinds of one version, in registration order. */
    public List<Kind> kinds(String group, String version) {
        List<Kind> out = new ArrayList<>();
        for (Kind kind : kinds) {
            if (kind.resource().group().equals(group)
                    && kind.resource().version().equals(version)) {
                out.add(kind);
            }
        }
        return out;
    }
}
