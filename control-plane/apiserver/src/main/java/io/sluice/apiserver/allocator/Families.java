package io.sluice.apiserver.allocator;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

import io.sluice.api.net.IpAddress;
import io.sluice.api.net.IpFamily;
import io.sluice.api.object.KubeObject;
import io.sluice.apiserver.validation.FieldErrors;
import io.sluice.apiserver.validation.Same;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Decides which families a Service has, from what it asks for and what the cluster has. Pure. */
final class Families {
    private static final String POLICY = "spec.ipFamilyPolicy";

    private final List<IpFamily> cluster;
    private final ObjectNode spec;
    private final JsonNode old;
    private final FieldErrors errors;

    private Families(List<IpFamily> cluster, ObjectNode spec, JsonNode old, FieldErrors errors) {
        this.cluster = cluster;
        this.spec = spec;
        this.old = old;
        this.errors = errors;
    }

    /**
     * Writes {@code ipFamilyPolicy} and {@code ipFamilies} into the spec, and shortens both lists on a downgrade.
     *
     * @param cluster the cluster's families, its default first
     * @param old the spec before the update; a missing node for a creation
     */
    static void decide(List<IpFamily> cluster, ObjectNode spec, JsonNode old, FieldErrors errors) {
        boolean untouched = KubeObject.text(spec, "ipFamilyPolicy").equals("PreferDualStack")
                && Same.same(spec.path("ipFamilyPolicy"), old.path("ipFamilyPolicy"))
                && Same.same(spec.path("clusterIPs"), old.path("clusterIPs"))
                && Same.same(spec.path("ipFamilies"), old.path("ipFamilies"));
        // A Service that prefers two families keeps what it has when the cluster changes under it.
        if (!untouched) {
            new Families(cluster, spec, old, errors).decide();
        }
    }

    private void decide() {
        boolean headless = KubeObject.text(spec, "clusterIP").equals("None");
        boolean selectorless = Same.empty(spec.path("selector"));
        if (KubeObject.text(spec, "ipFamilyPolicy").isEmpty()) {
            String before = KubeObject.text(old, "ipFamilyPolicy");
            String fresh = headless && selectorless ? "RequireDualStack" : "SingleStack";
            spec.put("ipFamilyPolicy", before.isEmpty() ? fresh : before);
        }
        String policy = KubeObject.text(spec, "ipFamilyPolicy");
        if (!old.isMissingNode()) {
            shrink(policy);
        }
        if (policy.equals("SingleStack")) {
            atMostOne("clusterIPs", "cluster IPs");
            atMostOne("ipFamilies", "IP families");
        }
        List<IpFamily> families = named();
        inferFromAddresses(families);
        if (!errors.isEmpty()) {
            return;
        }
        boolean free = headless && selectorless;
        if (!free) {
            configured(policy, families);
        }
        if (families.isEmpty()) {
            families.add(cluster.getFirst());
        }
        // Headless Services without a selector may name families the cluster does not have.
        if (!policy.equals("SingleStack")
                && families.size() == 1
                && (free || cluster.size() == 2)) {
            families.add(families.getFirst() == IpFamily.IPV4 ? IpFamily.IPV6 : IpFamily.IPV4);
        }
        ArrayNode out = spec.putArray("ipFamilies");
        families.forEach(family -> out.add(text(family)));
    }

    private void shrink(String policy) {
        for (String list : List.of("clusterIPs", "ipFamilies")) {
            JsonNode now = spec.path(list);
            JsonNode before = old.path(list);
            if (policy.equals("SingleStack")) {
                if (now.size() > 1 && Same.same(now, before)) {
                    ((ArrayNode) now).remove(1);
                }
            } else if (before.size() == 2 && now.size() == 1 && before.get(0).equals(now.get(0))) {
                errors.invalid(
                        POLICY,
                        policy,
                        "must be 'SingleStack' to release the secondary "
                                + (list.equals("clusterIPs") ? "cluster IP" : "IP family"));
            }
        }
    }

    private void atMostOne(String list, String words) {
        if (spec.path(list).size() > 1) {
            errors.invalid(
                    POLICY,
                    spec.path("ipFamilyPolicy"),
                    "must be 'RequireDualStack' or 'PreferDualStack' when multiple " + words
                            + " are specified");
        }
    }

    private List<IpFamily> named() {
        List<IpFamily> out = new ArrayList<>();
        for (JsonNode family : spec.path("ipFamilies")) {
            out.add(family.asText().equals("IPv6") ? IpFamily.IPV6 : IpFamily.IPV4);
        }
        return out;
    }

    private void inferFromAddresses(List<IpFamily> families) {
        JsonNode addresses = spec.path("clusterIPs");
        for (int i = families.size(); i < addresses.size(); i++) {
            Optional<IpAddress> address = IpAddress.parse(addresses.get(i).asText());
            if (address.isEmpty()) {
                return;
            }
            IpFamily family = address.get().family();
            if (cluster.contains(family)) {
                families.add(family);
            } else {
                errors.invalid(
                        "spec.clusterIPs[" + i + ']',
                        addresses,
                        text(family) + " is not configured on this cluster");
            }
        }
    }

    private void configured(String policy, List<IpFamily> families) {
        if (policy.equals("RequireDualStack") && cluster.size() < 2) {
            errors.invalid(
                    POLICY, policy, "this cluster is not configured for dual-stack services");
        }
        for (int i = 0; i < families.size(); i++) {
            if (!cluster.contains(families.get(i))) {
                errors.invalid(
                        "spec.ipFamilies[" + i + ']',
                        text(families.get(i)),
                        "not configured on this cluster");
            }
        }
    }

    static String text(IpFamily family) {
        return family == IpFamily.IPV4 ? "IPv4" : "IPv6";
    }
}
