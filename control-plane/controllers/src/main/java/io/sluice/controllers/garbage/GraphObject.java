package io.sluice.controllers.garbage;

import com.fasterxml.jackson.databind.node.ObjectNode;

import io.sluice.api.meta.NamespacedName;
import io.sluice.api.object.KubeObject;
import io.sluice.api.object.KubeObject.OwnerReference;
import io.sluice.controllers.ApiResource;

import java.util.List;

/** What the collector knows of an object. */
record GraphObject(
        ApiResource resource,
        NamespacedName name,
        String uid,
        List<OwnerReference> owners,
        List<String> finalizers,
        boolean deleting) {
    static final String FOREGROUND = "foregroundDeletion";
    static final String ORPHAN = "orphan";

    static GraphObject of(ApiResource resource, ObjectNode tree) {
        KubeObject object = KubeObject.of(tree);
        return new GraphObject(
                resource,
                object.id(),
                object.uid(),
                object.ownerReferences(),
                object.finalizers(),
                object.isDeleting());
    }

    boolean waitsForDependents() {
        return deleting && finalizers.contains(FOREGROUND);
    }

    boolean orphansDependents() {
        return deleting && finalizers.contains(ORPHAN);
    }

    @Override
    public String toString() {
        return resource.kind().kind() + ' ' + name;
    }
}
