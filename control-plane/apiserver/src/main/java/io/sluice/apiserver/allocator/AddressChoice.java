package io.sluice.apiserver.allocator;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

import io.sluice.api.net.IpAddress;
import io.sluice.api.net.IpFamily;
import io.sluice.api.object.KubeObject;
import io.sluice.apiserver.allocator.ServiceAllocator.Taken;
import io.sluice.apiserver.validation.FieldErrors;

import java.util.Map;
import java.util.Optional;

/** One Service's cluster addresses: one per family it has. Runs under {@link ServiceAllocator}'s lock. */
final class AddressChoice {
    private static final String FIELD = "spec.clusterIPs";

    private final Map<IpFamily, IpPool> pools;
    private final Taken taken;
    private final FieldErrors errors;

    AddressChoice(Map<IpFamily, IpPool> pools, Taken taken, FieldErrors errors) {
        this.pools = pools;
        this.taken = taken;
        this.errors = errors;
    }

    void choose(ObjectNode spec) {
        if (KubeObject.text(spec, "clusterIP").equals("None")) {
            return;
        }
        ArrayNode addresses = spec.get("clusterIPs") instanceof ArrayNode array
                ? array
                : spec.putArray("clusterIPs");
        JsonNode families = spec.path("ipFamilies");
        for (int i = 0; i < families.size() && errors.isEmpty(); i++) {
            IpFamily family =
                    families.get(i).asText().equals("IPv6") ? IpFamily.IPV6 : IpFamily.IPV4;
            String asked = i < addresses.size() ? addresses.get(i).asText() : "";
            Optional<IpAddress> got =
                    asked.isEmpty() ? any(family, addresses) : explicit(asked, addresses);
            if (got.isEmpty()) {
                return;
            }
            if (i < addresses.size()) {
                addresses.set(i, asked.isEmpty() ? got.get().toString() : asked);
            } else {
                addresses.add(got.get().toString());
            }
        }
        if (!addresses.isEmpty()) {
            spec.set("clusterIP", addresses.get(0));
        }
    }

    private Optional<IpAddress> any(IpFamily family, ArrayNode addresses) {
        IpPool pool = pools.get(family);
        Optional<IpAddress> got = pool == null ? Optional.empty() : pool.takeAny();
        if (got.isEmpty()) {
            errors.invalid(
                    FIELD,
                    addresses,
                    "failed to allocate a serviceIP: "
                            + (pool == null
                                    ? Families.text(family) + " is not configured on this cluster"
                                    : "range " + pool.range() + " is full"));
        }
        got.ifPresent(taken.addresses::add);
        return got;
    }

    private Optional<IpAddress> explicit(String text, ArrayNode addresses) {
        Optional<IpAddress> address = IpAddress.parse(text);
        if (address.isEmpty() || taken.before.addresses().contains(address.get())) {
            return address;
        }
        IpPool pool = pools.get(address.get().family());
        String refusal = "";
        if (pool == null || !pool.contains(address.get())) {
            refusal = "the provided IP (" + text
                    + ") is not in the valid range. The range of valid IPs is "
                    + (pool == null ? "empty" : pool.range());
        } else if (!pool.take(address.get())) {
            refusal = "provided IP is already allocated";
        }
        if (!refusal.isEmpty()) {
            errors.invalid(FIELD, addresses, "failed to allocate IP " + text + ": " + refusal);
            return Optional.empty();
        }
        taken.addresses.add(address.get());
        return address;
    }
}
