package io.sluice.apiserver.kinds;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

import io.sluice.api.object.KubeObject;
import io.sluice.apiserver.registry.Column;
import io.sluice.apiserver.registry.FieldError;
import io.sluice.apiserver.registry.Strategy;
import io.sluice.apiserver.validation.FieldErrors;
import io.sluice.apiserver.validation.SmallKindsValidation;

import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;

/** Strategies and columns of Namespaces, Nodes, ServiceAccounts, Leases and ServiceCIDRs. */
final class ClusterKinds {
    private static final String ROLE_PREFIX = "node-role.kubernetes.io/";
    private static final String NAME_LABEL = "kubernetes.io/metadata.name";

    static final List<Column> NAMESPACE_COLUMNS = List.of(Columns.text(
            "Status", namespace -> KubeObject.text(namespace.path("status"), "phase")));

    static final List<Column> NODE_COLUMNS = List.of(
            Columns.text("Status", ClusterKinds::nodeStatus),
            Columns.text("Roles", ClusterKinds::roles));

    /** After the age. */
    static final List<Column> NODE_TAIL = List.of(
            Columns.text("Version", node -> info(node, "kubeletVersion")),
            Columns.wide("Internal-IP", node -> address(node, "InternalIP")),
            Columns.wide("External-IP", node -> address(node, "ExternalIP")),
            Columns.wide("OS-Image", node -> orUnknown(info(node, "osImage"))),
            Columns.wide("Kernel-Version", node -> orUnknown(info(node, "kernelVersion"))),
            Columns.wide(
                    "Container-Runtime", node -> orUnknown(info(node, "containerRuntimeVersion"))));

    static final List<Column> SERVICE_ACCOUNT_COLUMNS =
            List.of(Columns.number("Secrets", account -> account.path("secrets").size()));

    static final List<Column> LEASE_COLUMNS = List.of(
            Columns.text("Holder", lease -> KubeObject.text(lease.path("spec"), "holderIdentity")));

    static final List<Column> SERVICE_CIDR_COLUMNS = List.of(Columns.text("CIDRs", range -> {
        List<String> blocks = new ArrayList<>();
        range.path("spec").path("cidrs").forEach(block -> blocks.add(block.asText()));
        return String.join(",", blocks);
    }));

    private ClusterKinds() {}

    /** Namespaces: they carry their name as a label, and a finalizer until their contents are gone. */
    record NamespaceStrategy() implements Strategy {
        @Override
        public void prepareForCreate(ObjectNode namespace) {
            label(namespace);
            ObjectNode spec = KubeObject.child(namespace, "spec");
            boolean has = false;
            for (JsonNode finalizer : spec.path("finalizers")) {
                has |= finalizer.asText().equals("kubernetes");
            }
            if (!has) {
                spec.withArray("finalizers").add("kubernetes");
            }
            namespace.putObject("status").put("phase", "Active");
        }

        @Override
        public void prepareForUpdate(ObjectNode namespace, ObjectNode old) {
            label(namespace);
            // Only the finalize subresource changes these.
            KubeObject.child(namespace, "spec")
                    .set("finalizers", old.path("spec").path("finalizers").deepCopy());
            if (old.path("spec").path("finalizers").isMissingNode()) {
                namespace.putObject("spec");
            }
        }

        private static void label(ObjectNode namespace) {
            ObjectNode labels =
                    KubeObject.child(KubeObject.of(namespace).metadataForUpdate(), "labels");
            String name = KubeObject.of(namespace).name();
            if (!name.isEmpty()) {
                labels.put(NAME_LABEL, name);
            }
        }

        @Override
        public List<FieldError> validate(ObjectNode namespace) {
            FieldErrors errors = new FieldErrors();
            SmallKindsValidation.validateNamespace(namespace, errors);
            return errors.list();
        }
    }

    /** Nodes: a node registers itself with its status. */
    record NodeStrategy() implements CheckedStrategy.StatusAtCreation {
        @Override
        public void prepareForCreate(ObjectNode node) {
            podCidrs(node);
            allocatable(node);
        }

        @Override
        public void prepareForStatusUpdate(ObjectNode node, ObjectNode old) {
            allocatable(node);
        }

        /** Without a word on what pods may use, they may use everything. */
        private static void allocatable(ObjectNode node) {
            if (node.get("status") instanceof ObjectNode status
                    && status.has("capacity")
                    && !status.has("allocatable")) {
                status.set("allocatable", status.get("capacity").deepCopy());
            }
        }

        @Override
        public void prepareForUpdate(ObjectNode node, ObjectNode old) {
            podCidrs(node);
        }

        private static void podCidrs(ObjectNode node) {
            if (node.get("spec") instanceof ObjectNode spec) {
                String first = KubeObject.text(spec, "podCIDR");
                if (!first.isEmpty() && spec.path("podCIDRs").isEmpty()) {
                    spec.putArray("podCIDRs").add(first);
                }
                JsonNode all = spec.path("podCIDRs");
                if (first.isEmpty() && !all.isEmpty()) {
                    spec.put("podCIDR", all.get(0).asText());
                }
            }
        }

        @Override
        public List<FieldError> validate(ObjectNode node) {
            FieldErrors errors = new FieldErrors();
            SmallKindsValidation.validateNode(node, errors);
            return errors.list();
        }

        @Override
        public List<FieldError> validateUpdate(ObjectNode node, ObjectNode old) {
            FieldErrors errors = new FieldErrors();
            SmallKindsValidation.validateNodeUpdate(node, old, errors);
            return errors.list();
        }
    }

    /** ServiceCIDRs: what blocks there are stays, for addresses were given out of them. */
    record ServiceCidrStrategy() implements Strategy {
        @Override
        public List<FieldError> validate(ObjectNode range) {
            FieldErrors errors = new FieldErrors();
            SmallKindsValidation.validateServiceCidr(range, errors);
            return errors.list();
        }

        @Override
        public List<FieldError> validateUpdate(ObjectNode range, ObjectNode old) {
            FieldErrors errors = new FieldErrors();
            SmallKindsValidation.validateServiceCidrUpdate(range, old, errors);
            return errors.list();
        }
    }

    /** Leases. */
    record LeaseStrategy() implements Strategy {
        @Override
        public List<FieldError> validate(ObjectNode lease) {
            FieldErrors errors = new FieldErrors();
            SmallKindsValidation.validateLease(lease, errors);
            return errors.list();
        }
    }

    private static String nodeStatus(ObjectNode node) {
        String ready = "Unknown";
        for (JsonNode condition : node.path("status").path("conditions")) {
            if (KubeObject.text(condition, "type").equals("Ready")) {
                ready = KubeObject.text(condition, "status").equals("True") ? "Ready" : "NotReady";
            }
        }
        boolean cordoned = node.path("spec").path("unschedulable").asBoolean();
        return cordoned ? ready + ",SchedulingDisabled" : ready;
    }

    private static String roles(ObjectNode node) {
        TreeSet<String> roles = new TreeSet<>();
        KubeObject.map(node.path("metadata").path("labels")).forEach((key, value) -> {
            if (key.startsWith(ROLE_PREFIX) && key.length() > ROLE_PREFIX.length()) {
                roles.add(key.substring(ROLE_PREFIX.length()));
            } else if (key.equals("kubernetes.io/role") && !value.isEmpty()) {
                roles.add(value);
            }
        });
        return Columns.orNone(String.join(",", new ArrayList<>(roles)));
    }

    private static String info(ObjectNode node, String field) {
        return KubeObject.text(node.path("status").path("nodeInfo"), field);
    }

    private static String orUnknown(String text) {
        return text.isEmpty() ? Columns.UNKNOWN : text;
    }

    private static String address(ObjectNode node, String type) {
        for (JsonNode address : node.path("status").path("addresses")) {
            if (KubeObject.text(address, "type").equals(type)) {
                return KubeObject.text(address, "address");
            }
        }
        return Columns.NONE;
    }
}
