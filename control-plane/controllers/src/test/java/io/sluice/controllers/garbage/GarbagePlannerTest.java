package io.sluice.controllers.garbage;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.api.meta.GroupVersionKind;
import io.sluice.api.meta.GroupVersionResource;
import io.sluice.api.meta.NamespacedName;
import io.sluice.api.object.KubeObject.OwnerReference;
import io.sluice.controllers.ApiResource;
import io.sluice.controllers.garbage.GarbagePlanner.Step;

import org.junit.jupiter.api.Test;

import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

class GarbagePlannerTest {
    private static final ApiResource CONFIG_MAPS = new ApiResource(
            new GroupVersionResource("", "v1", "configmaps"),
            new GroupVersionKind("", "v1", "ConfigMap"),
            true,
            Set.of("list", "watch", "delete"));

    private static GraphObject object(
            String uid, boolean deleting, List<String> finalizers, OwnerReference... owners) {
        return new GraphObject(
                CONFIG_MAPS,
                new NamespacedName("ns", uid),
                uid,
                List.of(owners),
                finalizers,
                deleting);
    }

    private static OwnerReference owner(String uid, boolean blocks) {
        return new OwnerReference(CONFIG_MAPS.kind(), uid, uid, true, blocks);
    }

    private static List<Step> plan(
            GraphObject object,
            List<GraphObject> dependents,
            Set<String> present,
            Set<String> waiting) {
        return GarbagePlanner.plan(
                object,
                dependents,
                owner -> present.contains(owner.uid()),
                owner -> waiting.contains(owner.uid()));
    }

    @Test
    void objectWithoutOwnersIsLeftAlone() {
        assertThat(plan(object("a", false, List.of()), List.of(), Set.of(), Set.of()))
                .isEmpty();
    }

    @Test
    void objectWhoseOwnersAreAllGoneIsDeleted() {
        GraphObject orphaned = object("a", false, List.of(), owner("x", false), owner("y", false));
        assertThat(plan(orphaned, List.of(), Set.of(), Set.of()))
                .containsExactly(new Step.Delete(orphaned, false));
    }

    @Test
    void referencesToGoneOwnersAreDroppedWhereOthersAreLeft() {
        GraphObject shared = object("a", false, List.of(), owner("x", false), owner("y", false));
        assertThat(plan(shared, List.of(), Set.of("y"), Set.of()))
                .containsExactly(new Step.DropReferences(shared, Set.of("x")));
    }

    @Test
    void objectBeingDeletedIsNotDeletedAgain() {
        GraphObject going = object("a", true, List.of("example.com/hold"), owner("x", false));
        assertThat(plan(going, List.of(), Set.of(), Set.of())).isEmpty();
    }

    @Test
    void foregroundDeletionWaitsForDependentsThatBlock() {
        GraphObject owner = object("x", true, List.of(GraphObject.FOREGROUND));
        GraphObject blocking = object("a", false, List.of(), owner("x", true));
        GraphObject other = object("b", false, List.of(), owner("x", false));
        assertThat(plan(owner, List.of(blocking, other), Set.of(), Set.of()))
                .containsExactly(new Step.Delete(blocking, true), new Step.Delete(other, false));
        GraphObject going = object("a", true, List.of("example.com/hold"), owner("x", true));
        assertThat(plan(owner, List.of(going), Set.of(), Set.of())).isEmpty();
        assertThat(plan(owner, List.of(), Set.of(), Set.of()))
                .containsExactly(new Step.RemoveFinalizer(owner, GraphObject.FOREGROUND));
    }

    @Test
    void dependentOfAnOwnerThatWaitsIsDeletedInTheForeground() {
        GraphObject dependent = object("a", false, List.of(), owner("x", true));
        assertThat(plan(dependent, List.of(), Set.of("x"), Set.of("x")))
                .containsExactly(new Step.Delete(dependent, true));
    }

    @Test
    void orphaningDropsReferencesAndThenTheFinalizer() {
        GraphObject owner = object("x", true, List.of(GraphObject.ORPHAN));
        GraphObject dependent = object("a", false, List.of(), owner("x", true));
        assertThat(plan(owner, List.of(dependent), Set.of(), Set.of()))
                .containsExactly(
                        new Step.DropReferences(dependent, Set.of("x")),
                        new Step.RemoveFinalizer(owner, GraphObject.ORPHAN));
    }

    @Test
    void graphKnowsDependentsAlsoBeforeTheirOwner() {
        OwnerGraph graph = new OwnerGraph();
        GraphObject dependent = object("a", false, List.of(), owner("x", false));
        assertThat(graph.put(dependent)).containsExactly("a", "x");
        graph.put(object("x", false, List.of()));
        assertThat(graph.dependentsOf("x")).containsExactly(dependent);
        assertThat(graph.remove(CONFIG_MAPS.resource(), new NamespacedName("ns", "x")))
                .containsExactly("a");
        assertThat(graph.find("x")).isEmpty();
        graph.put(object("a", false, List.of()));
        assertThat(graph.dependentsOf("x")).isEmpty();
    }

    /** A name that comes back with another uid is another object: those of the former one are looked at. */
    @Test
    void recreatedOwnerIsAnotherOwner() {
        OwnerGraph graph = new OwnerGraph();
        graph.put(new GraphObject(
                CONFIG_MAPS, new NamespacedName("ns", "o"), "old", List.of(), List.of(), false));
        graph.put(object("a", false, List.of(), owner("old", false)));
        Set<String> touched = graph.put(new GraphObject(
                CONFIG_MAPS, new NamespacedName("ns", "o"), "new", List.of(), List.of(), false));
        assertThat(touched).contains("a", "new");
        assertThat(graph.find("old")).isEmpty();
        assertThat(Stream.of("new").map(graph::dependentsOf)).containsExactly(List.of());
    }
}
