package io.sluice.controllers.garbage;

import io.sluice.api.meta.GroupVersionResource;
import io.sluice.api.meta.NamespacedName;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** Who belongs to whom, by uid. Thread-safe: watches write, the worker reads. */
final class OwnerGraph {
    private final Map<String, GraphObject> byUid = new HashMap<>();
    private final Map<Place, String> uidAt = new HashMap<>();
    private final Map<String, Set<String>> dependents = new HashMap<>();

    private record Place(GroupVersionResource resource, NamespacedName name) {}

    /** @return uids to look at: the object's, and those of a former object of that name and its dependents */
    synchronized Set<String> put(GraphObject object) {
        Set<String> touched = new LinkedHashSet<>();
        Place place = new Place(object.resource().resource(), object.name());
        String former = uidAt.put(place, object.uid());
        if (former != null && !former.equals(object.uid())) {
            touched.addAll(drop(former));
        }
        GraphObject before = byUid.put(object.uid(), object);
        if (before != null) {
            before.owners().forEach(owner -> unlink(owner.uid(), object.uid()));
        }
        object.owners()
                .forEach(owner -> dependents
                        .computeIfAbsent(owner.uid(), uid -> new LinkedHashSet<>())
                        .add(object.uid()));
        touched.add(object.uid());
        object.owners().forEach(owner -> touched.add(owner.uid()));
        return touched;
    }

    /** @return uids of its dependents and owners, to look at */
    synchronized Set<String> remove(GroupVersionResource resource, NamespacedName name) {
        String uid = uidAt.remove(new Place(resource, name));
        return uid == null ? Set.of() : drop(uid);
    }

    private Set<String> drop(String uid) {
        Set<String> touched = new LinkedHashSet<>(dependents.getOrDefault(uid, Set.of()));
        GraphObject gone = byUid.remove(uid);
        if (gone != null) {
            gone.owners().forEach(owner -> {
                unlink(owner.uid(), uid);
                touched.add(owner.uid());
            });
        }
        return touched;
    }

    private void unlink(String owner, String dependent) {
        Set<String> all = dependents.get(owner);
        if (all != null) {
            all.remove(dependent);
            if (all.isEmpty()) {
                dependents.remove(owner);
            }
        }
    }

    synchronized Optional<GraphObject> find(String uid) {
        return Optional.ofNullable(byUid.get(uid));
    }

    synchronized List<GraphObject> dependentsOf(String uid) {
        List<GraphObject> out = new ArrayList<>();
        for (String dependent : dependents.getOrDefault(uid, Set.of())) {
            GraphObject object = byUid.get(dependent);
            if (object != null) {
                out.add(object);
            }
        }
        return out;
    }
}
