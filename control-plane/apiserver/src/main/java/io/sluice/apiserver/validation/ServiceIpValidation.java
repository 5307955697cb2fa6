package io.sluice.apiserver.validation;

import com.fasterxml.jackson.databind.JsonNode;

import io.sluice.api.net.IpAddress;
import io.sluice.api.net.IpFamily;
import io.sluice.api.object.KubeObject;

import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** {@code clusterIP}, {@code clusterIPs}, {@code ipFamilies} and {@code ipFamilyPolicy}, which must agree with each other. */
final class ServiceIpValidation {
    private static final List<String> FAMILIES = List.of("IPv4", "IPv6");
    private static final List<String> FAMILY_POLICIES =
            List.of("PreferDualStack", "RequireDualStack", "SingleStack");

    private ServiceIpValidation() {}

    static void validate(JsonNode spec, FieldErrors errors) {
        if (KubeObject.text(spec, "type").equals("ExternalName")) {
            for (String field :
                    List.of("clusterIP", "clusterIPs", "ipFamilies", "ipFamilyPolicy")) {
                if (!Same.empty(spec.path(field))) {
                    errors.forbidden("spec." + field, "may not be set for ExternalName services");
                }
            }
            return;
        }
        families(spec, errors);
        clusterIps(spec, errors);
    }

    private static void families(JsonNode spec, FieldErrors errors) {
        JsonNode families = spec.path("ipFamilies");
        Set<String> seen = new HashSet<>();
        for (int i = 0; i < families.size(); i++) {
            String field = "spec.ipFamilies[" + i + ']';
            String family = families.get(i).asText();
            if (!FAMILIES.contains(family)) {
                errors.notSupported(field, family, FAMILIES);
            }
            if (!seen.add(family)) {
                errors.duplicate(field, family);
            }
        }
        String policy = KubeObject.text(spec, "ipFamilyPolicy");
        if (!policy.isEmpty() && !FAMILY_POLICIES.contains(policy)) {
            errors.notSupported("spec.ipFamilyPolicy", policy, FAMILY_POLICIES);
        }
    }

    private static void clusterIps(JsonNode spec, FieldErrors errors) {
        String first = KubeObject.text(spec, "clusterIP");
        JsonNode all = spec.path("clusterIPs");
        if (first.isEmpty() && !all.isEmpty()) {
            errors.invalid(
                    "spec.clusterIPs", all, "must be empty when `clusterIP` is not specified");
            return;
        }
        if (!first.isEmpty() && all.isEmpty()) {
            errors.required("spec.clusterIPs", "");
        } else if (!first.isEmpty() && !all.get(0).asText().equals(first)) {
            errors.invalid("spec.clusterIPs", all, "first value must match `clusterIP`");
        }
        if (all.size() > 2) {
            errors.invalid("spec.clusterIPs", all, "may only hold up to 2 values");
        }
        Set<IpFamily> families = new HashSet<>();
        for (int i = 0; i < all.size(); i++) {
            clusterIp(spec, i, families, errors);
        }
    }

    private static void clusterIp(
            JsonNode spec, int index, Set<IpFamily> seen, FieldErrors errors) {
        String field = "spec.clusterIPs[" + index + ']';
        JsonNode all = spec.path("clusterIPs");
        String text = all.get(index).asText();
        if (text.equals("None")) {
            if (all.size() > 1) {
                errors.invalid(field, text, "'None' must be the first and only value");
            }
            return;
        }
        Optional<IpAddress> address = IpAddress.parse(text);
        if (address.isEmpty()) {
            errors.invalid(field, text, Addresses.NOT_AN_IP);
            return;
        }
        IpFamily family = address.get().family();
        if (!seen.add(family)) {
            errors.invalid(
                    "spec.clusterIPs", all, "may specify no more than one IP for each IP family");
        }
        String expected = spec.path("ipFamilies").path(index).asText("");
        String found = family == IpFamily.IPV4 ? "IPv4" : "IPv6";
        if (!expected.isEmpty() && !expected.equals(found)) {
            errors.invalid(
                    field,
                    text,
                    "expected an " + expected + " value as indicated by `ipFamilies[" + index
                            + "]`");
        }
    }

    static void validateUpdate(JsonNode now, JsonNode before, FieldErrors errors) {
        boolean external = KubeObject.text(now, "type").equals("ExternalName")
                || KubeObject.text(before, "type").equals("ExternalName");
        if (external) {
            return;
        }
        // The first of each never changes; the second may come and go.
        for (int i = 0; i < 2; i++) {
            unchanged("clusterIPs", i, now, before, errors);
            unchanged("ipFamilies", i, now, before, errors);
        }
    }

    private static void unchanged(
            String list, int index, JsonNode now, JsonNode before, FieldErrors errors) {
        JsonNode old = before.path(list).path(index);
        JsonNode value = now.path(list).path(index);
        boolean was = !Same.empty(old);
        boolean gone = Same.empty(value);
        // Without a first value the server keeps what there was, so only an explicit one counts.
        if (was && !gone && !value.equals(old)) {
            errors.invalid(
                    "spec." + list + '[' + index + ']', now.path(list), "may not change once set");
        }
    }
}
