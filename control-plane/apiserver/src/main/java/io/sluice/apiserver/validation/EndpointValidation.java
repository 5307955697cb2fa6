package io.sluice.apiserver.validation;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

import io.sluice.api.meta.Names;
import io.sluice.api.net.IpFamily;
import io.sluice.api.object.KubeObject;

import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** EndpointSlices, and the Endpoints they came from. */
public final class EndpointValidation {
    private static final List<String> ADDRESS_TYPES = List.of("FQDN", "IPv4", "IPv6");
    private static final int MAX_ENDPOINTS = 1000;
    private static final int MAX_ADDRESSES = 100;
    private static final int MAX_PORTS = 20_000;
    private static final int MAX_HINTS = 8;

    private EndpointValidation() {}

    public static void validateSlice(ObjectNode slice, FieldErrors errors) {
        String type = KubeObject.text(slice, "addressType");
        if (type.isEmpty()) {
            errors.required("addressType", "");
        } else if (!ADDRESS_TYPES.contains(type)) {
            errors.notSupported("addressType", type, ADDRESS_TYPES);
        }
        JsonNode endpoints = slice.path("endpoints");
        if (endpoints.size() > MAX_ENDPOINTS) {
            errors.tooMany("endpoints", endpoints.size(), MAX_ENDPOINTS);
        } else {
            for (int i = 0; i < endpoints.size(); i++) {
                endpoint(endpoints.get(i), type, "endpoints[" + i + ']', errors);
            }
        }
        slicePorts(slice.path("ports"), errors);
    }

    private static void endpoint(JsonNode endpoint, String type, String field, FieldErrors errors) {
        JsonNode addresses = endpoint.path("addresses");
        if (addresses.isEmpty()) {
            errors.required(field + ".addresses", "must contain at least one address");
        } else if (addresses.size() > MAX_ADDRESSES) {
            errors.tooMany(field + ".addresses", addresses.size(), MAX_ADDRESSES);
        }
        for (int i = 0; i < addresses.size() && i < MAX_ADDRESSES; i++) {
            address(addresses.get(i).asText(), type, field + ".addresses[" + i + ']', errors);
        }
        String hostname = KubeObject.text(endpoint, "hostname");
        if (!hostname.isEmpty()) {
            errors.invalid(field + ".hostname", hostname, Names.dnsLabel(hostname));
        }
        String node = KubeObject.text(endpoint, "nodeName");
        if (!node.isEmpty()) {
            errors.invalid(field + ".nodeName", node, Names.dnsSubdomain(node));
        }
        hints(endpoint.path("hints"), "forZones", field, errors);
        hints(endpoint.path("hints"), "forNodes", field, errors);
    }

    private static void address(String address, String type, String field, FieldErrors errors) {
        switch (type) {
            case "IPv4" -> Addresses.ofFamily(field, address, IpFamily.IPV4, errors);
            case "IPv6" -> Addresses.ofFamily(field, address, IpFamily.IPV6, errors);
            case "FQDN" -> errors.invalid(field, address, Names.dnsSubdomain(address));
            default -> {}
        }
    }

    private static void hints(JsonNode hints, String kind, String field, FieldErrors errors) {
        JsonNode list = hints.path(kind);
        String path = field + ".hints." + kind;
        if (list.size() > MAX_HINTS) {
            errors.tooMany(path, list.size(), MAX_HINTS);
            return;
        }
        Set<String> seen = new HashSet<>();
        for (int i = 0; i < list.size(); i++) {
            String name = KubeObject.text(list.get(i), "name");
            if (!seen.add(name)) {
                errors.duplicate(path + '[' + i + "].name", name);
            }
            List<String> problems =
                    kind.equals("forZones") ? Names.labelValue(name) : Names.dnsSubdomain(name);
            errors.invalid(path + '[' + i + "].name", name, problems);
        }
    }

    private static void slicePorts(JsonNode ports, FieldErrors errors) {
        if (ports.size() > MAX_PORTS) {
            errors.tooMany("ports", ports.size(), MAX_PORTS);
            return;
        }
        Set<String> names = new HashSet<>();
        for (int i = 0; i < ports.size(); i++) {
            JsonNode port = ports.get(i);
            String field = "ports[" + i + ']';
            String name = KubeObject.text(port, "name");
            if (!name.isEmpty()) {
                errors.invalid(field + ".name", name, Names.dnsLabel(name));
            }
            if (!names.add(name)) {
                errors.duplicate(field + ".name", name);
            }
            if (port.has("port")) {
                Ports.number(field + ".port", port.path("port"), errors);
            }
            protocolAndApp(port, field, errors);
        }
    }

    private static void protocolAndApp(JsonNode port, String field, FieldErrors errors) {
        Ports.protocol(field + ".protocol", KubeObject.text(port, "protocol"), errors);
        String app = KubeObject.text(port, "appProtocol");
        if (!app.isEmpty()) {
            errors.invalid(field + ".appProtocol", app, Names.qualifiedName(app));
        }
    }

    public static void validateEndpoints(ObjectNode endpoints, FieldErrors errors) {
        JsonNode subsets = endpoints.path("subsets");
        for (int i = 0; i < subsets.size(); i++) {
            String field = "subsets[" + i + ']';
            JsonNode subset = subsets.get(i);
            if (subset.path("addresses").isEmpty()
                    && subset.path("notReadyAddresses").isEmpty()) {
                errors.required(field, "must specify `addresses` or `notReadyAddresses`");
            }
            for (String list : List.of("addresses", "notReadyAddresses")) {
                JsonNode addresses = subset.path(list);
                for (int k = 0; k < addresses.size(); k++) {
                    subsetAddress(addresses.get(k), field + '.' + list + '[' + k + ']', errors);
                }
            }
            subsetPorts(subset.path("ports"), field, errors);
        }
    }

    private static void subsetAddress(JsonNode address, String field, FieldErrors errors) {
        Addresses.unicast(field + ".ip", KubeObject.text(address, "ip"), errors);
        String hostname = KubeObject.text(address, "hostname");
        if (!hostname.isEmpty()) {
            errors.invalid(field + ".hostname", hostname, Names.dnsLabel(hostname));
        }
        String node = KubeObject.text(address, "nodeName");
        if (!node.isEmpty()) {
            errors.invalid(field + ".nodeName", node, Names.dnsSubdomain(node));
        }
    }

    private static void subsetPorts(JsonNode ports, String subset, FieldErrors errors) {
        for (int i = 0; i < ports.size(); i++) {
            JsonNode port = ports.get(i);
            String field = subset + ".ports[" + i + ']';
            String name = KubeObject.text(port, "name");
            if (!name.isEmpty()) {
                errors.invalid(field + ".name", name, Names.dnsLabel(name));
            } else if (ports.size() > 1) {
                errors.required(field + ".name", "");
            }
            Ports.number(field + ".port", port.path("port"), errors);
            protocolAndApp(port, field, errors);
        }
    }
}
