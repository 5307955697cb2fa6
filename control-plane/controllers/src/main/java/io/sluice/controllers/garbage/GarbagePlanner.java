package io.sluice.controllers.garbage;

import io.sluice.api.object.KubeObject.OwnerReference;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;

/** Decides what is to be done about one object. Pure. */
final class GarbagePlanner {
    private GarbagePlanner() {}

    /** One thing to do. */
    sealed interface Step {
        /** All its owners are gone. @param foreground whether its own dependents must go first */
        record Delete(GraphObject object, boolean foreground) implements Step {}

        /** Some owners are gone: these references go, the others stay. */
        record DropReferences(GraphObject object, Set<String> ownerUids) implements Step {}

        record RemoveFinalizer(GraphObject object, String finalizer) implements Step {}
    }

    /**
     * @param exists tells of each owner whether it is there; asked of owners that matter alone
     * @param ownerWaits tells whether an owner is being deleted in the foreground
     */
    static List<Step> plan(
            GraphObject object,
            List<GraphObject> dependents,
            Predicate<OwnerReference> exists,
            Predicate<OwnerReference> ownerWaits) {
        if (object.orphansDependents()) {
            return orphan(object, dependents);
        }
        if (object.waitsForDependents()) {
            return foreground(object, dependents);
        }
        return object.deleting() || object.owners().isEmpty()
                ? List.of()
                : dependent(object, exists, ownerWaits);
    }

    private static List<Step> orphan(GraphObject object, List<GraphObject> dependents) {
        List<Step> out = new ArrayList<>();
        for (GraphObject dependent : dependents) {
            out.add(new Step.DropReferences(dependent, Set.of(object.uid())));
        }
        out.add(new Step.RemoveFinalizer(object, GraphObject.ORPHAN));
        return out;
    }

    private static List<Step> foreground(GraphObject object, List<GraphObject> dependents) {
        List<Step> out = new ArrayList<>();
        boolean blocked = false;
        for (GraphObject dependent : dependents) {
            boolean blocks = dependent.owners().stream()
                    .anyMatch(owner ->
                            owner.uid().equals(object.uid()) && owner.blockOwnerDeletion());
            blocked |= blocks;
            if (!dependent.deleting()) {
                out.add(new Step.Delete(dependent, blocks));
            }
        }
        if (!blocked) {
            out.add(new Step.RemoveFinalizer(object, GraphObject.FOREGROUND));
        }
        return out;
    }

    private static List<Step> dependent(
            GraphObject object,
            Predicate<OwnerReference> exists,
            Predicate<OwnerReference> ownerWaits) {
        List<OwnerReference> present = new ArrayList<>();
        List<String> gone = new ArrayList<>();
        boolean waiting = false;
        for (OwnerReference owner : object.owners()) {
            if (!exists.test(owner)) {
                gone.add(owner.uid());
            } else if (ownerWaits.test(owner)) {
                waiting = true;
            } else {
                present.add(owner);
            }
        }
        if (present.isEmpty()) {
            return List.of(new Step.Delete(object, waiting));
        }
        return gone.isEmpty()
                ? List.of()
                : List.of(new Step.DropReferences(object, Set.copyOf(gone)));
    }
}
