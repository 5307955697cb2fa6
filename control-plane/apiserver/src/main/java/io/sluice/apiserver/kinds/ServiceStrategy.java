package io.sluice.apiserver.kinds;

import com.fasterxml.jackson.databind.node.ObjectNode;

import io.sluice.api.object.KubeObject;
import io.sluice.apiserver.allocator.ServiceAllocator;
import io.sluice.apiserver.registry.FieldError;
import io.sluice.apiserver.registry.Strategy;
import io.sluice.apiserver.validation.FieldErrors;
import io.sluice.apiserver.validation.ServiceValidation;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Services: defaults that depend on the type, fields that go with a type, and addresses and ports from the pools. */
record ServiceStrategy(ServiceAllocator allocator) implements Strategy {

    @Override
    public void prepareForCreate(ObjectNode service) {
        ServiceDefaults.apply(service);
        ServiceTransition.syncAddresses(KubeObject.child(service, "spec"));
        service.putObject("status").putObject("loadBalancer");
    }

    @Override
    public void prepareForUpdate(ObjectNode service, ObjectNode old) {
        ServiceTransition.carryOver(
                KubeObject.child(service, "spec"), KubeObject.child(old, "spec"));
        ServiceDefaults.apply(service);
        boolean balancer = KubeObject.text(service.path("spec"), "type").equals("LoadBalancer");
        if (!balancer && service.get("status") instanceof ObjectNode status) {
            status.putObject("loadBalancer");
        }
    }

    @Override
    public void prepareForStatusUpdate(ObjectNode service, ObjectNode old) {
        ServiceDefaults.ingressMode(service);
    }

    @Override
    public List<FieldError> validate(ObjectNode service) {
        FieldErrors errors = new FieldErrors();
        ServiceValidation.validate(service, errors);
        ServiceValidation.validateStatus(service, errors);
        return errors.list();
    }

    @Override
    public List<FieldError> validateUpdate(ObjectNode service, ObjectNode old) {
        FieldErrors errors = new FieldErrors();
        ServiceValidation.validateUpdate(service, old, errors);
        return errors.list();
    }

    @Override
    public List<String> warnings(ObjectNode service) {
        List<String> out = new ArrayList<>();
        if (!KubeObject.text(service.path("spec"), "loadBalancerIP").isEmpty()) {
            out.add(
                    "spec.loadBalancerIP is deprecated: use an implementation-specific annotation instead");
        }
        if (KubeObject.text(service.path("spec"), "trafficDistribution").equals("PreferClose")) {
            out.add(
                    "spec.trafficDistribution: PreferClose is deprecated: use PreferSameZone instead");
        }
        return out;
    }

    @Override
    public Reservation reserve(ObjectNode service, ObjectNode old, boolean dryRun) {
        return allocator.reserve(service, Optional.ofNullable(old));
    }

    @Override
    public void release(ObjectNode service) {
        allocator.release(service);
    }
}
