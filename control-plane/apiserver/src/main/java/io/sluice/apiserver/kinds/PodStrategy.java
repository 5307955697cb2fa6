package io.sluice.apiserver.kinds;

import com.fasterxml.jackson.databind.node.ObjectNode;

import io.sluice.api.object.KubeObject;
import io.sluice.apiserver.registry.FieldError;
import io.sluice.apiserver.validation.FieldErrors;
import io.sluice.apiserver.validation.PodUpdateValidation;
import io.sluice.apiserver.validation.PodValidation;

import java.util.List;

/** Pods: they begin as Pending, and leave only when their node says so, if they have one. */
record PodStrategy() implements CheckedStrategy.Generated {

    @Override
    public void prepareForCreate(ObjectNode pod) {
        PodDefaults.apply(KubeObject.child(pod, "spec"));
        pod.putObject("status").put("phase", "Pending").put("qosClass", PodDefaults.qosClass(pod));
    }

    @Override
    public void prepareForUpdate(ObjectNode pod, ObjectNode old) {
        PodDefaults.apply(KubeObject.child(pod, "spec"));
    }

    @Override
    public void prepareForStatusUpdate(ObjectNode pod, ObjectNode old) {
        ObjectNode status = KubeObject.child(pod, "status");
        if (old.path("status").has("qosClass")) {
            status.set("qosClass", old.path("status").get("qosClass"));
        }
        ObjectNode metadata = KubeObject.of(pod).metadataForUpdate();
        if (KubeObject.of(old).metadata().has("ownerReferences")) {
            metadata.set("ownerReferences", KubeObject.of(old).metadata().get("ownerReferences"));
        } else {
            metadata.remove("ownerReferences");
        }
    }

    @Override
    public List<FieldError> validate(ObjectNode pod) {
        FieldErrors errors = new FieldErrors();
        PodValidation.validate(pod, errors);
        return errors.list();
    }

    @Override
    public List<FieldError> validateUpdate(ObjectNode pod, ObjectNode old) {
        FieldErrors errors = new FieldErrors();
        PodUpdateValidation.validate(pod, old, errors);
        return errors.list();
    }

    @Override
    public long gracePeriodSeconds(ObjectNode pod, long requested) {
        String phase = KubeObject.text(pod.path("status"), "phase");
        boolean nobodyToAsk = KubeObject.text(pod.path("spec"), "nodeName").isEmpty()
                || phase.equals("Succeeded")
                || phase.equals("Failed");
        if (nobodyToAsk) {
            return 0;
        }
        long period = requested >= 0
                ? requested
                : pod.path("spec").path("terminationGracePeriodSeconds").asLong(30);
        return period < 0 ? 1 : period;
    }
}
