package io.sluice.apiserver.kinds;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

import io.sluice.api.object.KubeObject;
import io.sluice.apiserver.registry.Column;
import io.sluice.apiserver.registry.FieldError;
import io.sluice.apiserver.registry.Strategy;
import io.sluice.apiserver.validation.EndpointValidation;
import io.sluice.apiserver.validation.FieldErrors;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/** Strategies and columns of EndpointSlices and Endpoints. */
final class EndpointKinds {
    private static final int SHOWN = 3;

    static final List<Column> SLICE_COLUMNS = List.of(
            Columns.text("AddressType", slice -> KubeObject.text(slice, "addressType")),
            Columns.text("Ports", EndpointKinds::slicePorts),
            Columns.text("Endpoints", EndpointKinds::sliceEndpoints));

    static final List<Column> ENDPOINTS_COLUMNS =
            List.of(Columns.text("Endpoints", EndpointKinds::endpoints));

    private EndpointKinds() {}

    /** EndpointSlices: the address type never changes. */
    record SliceStrategy() implements CheckedStrategy.Generated {
        @Override
        public List<FieldError> validate(ObjectNode slice) {
            FieldErrors errors = new FieldErrors();
            EndpointValidation.validateSlice(slice, errors);
            return errors.list();
        }

        @Override
        public List<FieldError> validateUpdate(ObjectNode slice, ObjectNode old) {
            FieldErrors errors = new FieldErrors();
            errors.immutable("addressType", slice.path("addressType"), old.path("addressType"));
            return errors.list();
        }
    }

    /** The older form. */
    record EndpointsStrategy() implements Strategy {
        @Override
        public List<FieldError> validate(ObjectNode endpoints) {
            FieldErrors errors = new FieldErrors();
            EndpointValidation.validateEndpoints(endpoints, errors);
            return errors.list();
        }

        @Override
        public List<String> warnings(ObjectNode endpoints) {
            return List.of(
                    "v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice");
        }
    }

    private static String slicePorts(ObjectNode slice) {
        JsonNode ports = slice.path("ports");
        if (ports.isMissingNode() || ports.isEmpty()) {
            return "<unset>";
        }
        List<String> out = new ArrayList<>();
        for (JsonNode port : ports) {
            out.add(port.has("port") ? port.path("port").asText() : "*");
        }
        return more(out, out.size());
    }

    private static String sliceEndpoints(ObjectNode slice) {
        List<String> addresses = new ArrayList<>();
        for (JsonNode endpoint : slice.path("endpoints")) {
            addresses.addAll(ServiceColumns.texts(endpoint.path("addresses")));
        }
        return addresses.isEmpty() ? "<unset>" : more(addresses, addresses.size());
    }

    private static String more(List<String> all, int count) {
        String shown = String.join(",", all.subList(0, Math.min(SHOWN, all.size())));
        return count > SHOWN ? shown + " + " + (count - SHOWN) + " more..." : shown;
    }

    private static String endpoints(ObjectNode endpoints) {
        Set<String> all = new LinkedHashSet<>();
        int count = 0;
        for (JsonNode subset : endpoints.path("subsets")) {
            JsonNode ports = subset.path("ports");
            for (JsonNode address : subset.path("addresses")) {
                String ip = KubeObject.text(address, "ip");
                if (ports.isEmpty()) {
                    all.add(ip);
                    count++;
                }
                for (JsonNode port : ports) {
                    String host = ip.contains(":") ? '[' + ip + ']' : ip;
                    all.add(host + ':' + port.path("port").asInt());
                    count++;
                }
            }
        }
        return all.isEmpty() ? Columns.NONE : more(List.copyOf(all), count);
    }
}
