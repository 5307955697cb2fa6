package io.sluice.api.model;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;

import io.sluice.api.net.IpAddress;
import io.sluice.api.net.IpFamily;
import io.sluice.api.net.Protocol;
import io.sluice.api.quantity.Rfc3339;

import java.io.IOException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

/** Reads discovery.k8s.io/v1 EndpointSlices; shares texts among all it reads. */
public final class EndpointSliceDecoder implements ObjectDecoder<EndpointSlice> {
    private static final String SERVICE_NAME = "kubernetes.io/service-name";
    private static final String HEADLESS = "service.kubernetes.io/headless";
    private static final String TRIGGER_TIME = "endpoints.kubernetes.io/last-change-trigger-time";

    private final FieldReader reader = new FieldReader();

    @Override
    public Optional<Decoded<EndpointSlice>> decode(JsonParser parser, Consumer<String> problems)
            throws IOException {
        Draft draft = new Draft();
        boolean object = FieldReader.object(parser, draft::read);
        if (!object || draft.meta.id().name().isEmpty()) {
            problems.accept("EndpointSlice without a name passed over");
            return Optional.empty();
        }
        Optional<EndpointSlice> slice = draft.toSlice();
        draft.wrong.forEach(text -> problems.accept(
                "EndpointSlice " + draft.meta.id() + ": " + text + "; passed over"));
        return slice.map(
                value -> new Decoded<>(draft.meta.id(), draft.meta.resourceVersion(), value));
    }

    /** One slice while it is read. */
    private final class Draft {
        private final MetaReader meta = new MetaReader();
        private final List<Endpoint> endpoints = new ArrayList<>();
        private final List<EndpointPort> ports = new ArrayList<>(2);
        private final List<String> wrong = new ArrayList<>(0);
        private final List<String> wrongAddresses = new ArrayList<>(0);
        private String serviceName = "";
        private boolean headless;
        private long triggerTime;
        private String addressType = "";

        void read(String field, JsonParser parser) throws IOException {
            switch (field) {
                case "metadata" -> meta.read(parser, this::readEntry);
                case "addressType" -> addressType = FieldReader.text(parser);
                case "endpoints" -> FieldReader.array(parser, this::readEndpoint);
                case "ports" -> FieldReader.array(parser, this::readPort);
                default -> parser.skipChildren();
            }
        }

        private void readEntry(String map, String key, JsonParser parser) throws IOException {
            boolean label = map.equals("labels");
            if (label && key.equals(SERVICE_NAME)) {
                serviceName = FieldReader.text(parser);
            } else if (label && key.equals(HEADLESS)) {
                headless = true;
                parser.skipChildren();
            } else if (!label && key.equals(TRIGGER_TIME)) {
                triggerTime = Rfc3339.parse(FieldReader.text(parser))
                        .map(Instant::toEpochMilli)
                        .orElse(0L);
            } else {
                parser.skipChildren();
            }
        }

        private void readPort(JsonParser parser) throws IOException {
            EndpointPortDraft port = new EndpointPortDraft();
            FieldReader.object(parser, port::read);
            Optional<Protocol> protocol = ServiceDecoder.protocol(port.protocol);
            if (!port.named || port.number == 0) {
                return; // a port without name or number means "all ports", which no proxy
                // implements
            }
            if (protocol.isEmpty() || port.number < 0 || port.number > 65_535) {
                wrong.add("port " + port.number + ", protocol " + port.protocol);
                return;
            }
            ports.add(new EndpointPort(reader.share(port.name), protocol.get(), port.number));
        }

        private void readEndpoint(JsonParser parser) throws IOException {
            EndpointDraft endpoint = new EndpointDraft(reader);
            FieldReader.object(parser, endpoint::read);
            if (endpoint.address.isEmpty()) {
                return;
            }
            Optional<IpAddress> address = IpAddress.parse(endpoint.address);
            if (address.isPresent()) {
                endpoints.add(endpoint.toEndpoint(address.get()));
            } else {
                wrongAddresses.add(endpoint.address);
            }
        }

        Optional<EndpointSlice> toSlice() {
            AddressType type;
            switch (addressType) {
                case "IPv4" -> {
                    type = AddressType.IPV4;
                    keep(IpFamily.IPV4);
                }
                case "IPv6" -> {
                    type = AddressType.IPV6;
                    keep(IpFamily.IPV6);
                }
                case "FQDN" -> {
                    type = AddressType.FQDN; // no proxy uses names, so none is kept
                    endpoints.clear();
                }
                default -> {
                    wrong.add("addressType \"" + addressType + "\" is unknown");
                    return Optional.empty();
                }
            }
            return Optional.of(new EndpointSlice(
                    meta.id(),
                    serviceName,
                    headless,
                    type,
                    List.copyOf(endpoints),
                    List.copyOf(ports),
                    triggerTime));
        }

        /** The type may come behind the endpoints, so addresses are checked against it at the end. */
        private void keep(IpFamily family) {
            wrongAddresses.forEach(text -> wrong.add("address \"" + text + "\" is no IP address"));
            endpoints.removeIf(endpoint -> {
                boolean other = endpoint.address().family() != family;
                if (other) {
                    wrong.add("address " + endpoint.address() + " is not of type " + addressType);
                }
                return other;
            });
        }
    }

    /** One port while it is read. */
    private static final class EndpointPortDraft {
        private String name = "";
        private boolean named;
        private String protocol = "TCP";
        private int number;

        void read(String field, JsonParser parser) throws IOException {
            switch (field) {
                case "name" -> {
                    named = parser.currentToken() == JsonToken.VALUE_STRING;
                    name = FieldReader.text(parser);
                }
                case "protocol" -> protocol = FieldReader.text(parser);
                case "port" -> number = FieldReader.number(parser);
                default -> parser.skipChildren();
            }
        }
    }

    /** One endpoint while it is read. */
    private static final class EndpointDraft {
        private final FieldReader reader;
        private String address = "";
        private boolean ready = true;
        private boolean serving = true;
        private boolean terminating;
        private String nodeName = "";
        private String zone = "";
        private List<String> zoneHints = List.of();
        private List<String> nodeHints = List.of();
        private String target = "";

        EndpointDraft(FieldReader reader) {
            this.reader = reader;
        }

        void read(String field, JsonParser parser) throws IOException {
            switch (field) {
                case "addresses" ->
                    FieldReader.array(parser, item -> {
                        String text = FieldReader.text(item);
                        address = address.isEmpty() ? text : address;
                    });
                case "conditions" -> FieldReader.object(parser, this::readCondition);
                case "nodeName" -> nodeName = reader.sharedText(parser);
                case "zone" -> zone = reader.sharedText(parser);
                case "hints" -> FieldReader.object(parser, this::readHints);
                case "targetRef" -> FieldReader.object(parser, this::readTarget);
                default -> parser.skipChildren();
            }
        }

        private void readCondition(String field, JsonParser parser) throws IOException {
            switch (field) {
                case "ready" -> ready = FieldReader.bool(parser).orElse(true);
                case "serving" -> serving = FieldReader.bool(parser).orElse(true);
                case "terminating" -> terminating = FieldReader.bool(parser).orElse(false);
                default -> parser.skipChildren();
            }
        }

        private void readHints(String field, JsonParser parser) throws IOException {
            switch (field) {
                case "forZones" -> zoneHints = names(parser);
                case "forNodes" -> nodeHints = names(parser);
                default -> parser.skipChildren();
            }
        }

        private List<String> names(JsonParser parser) throws IOException {
            List<String> out = new ArrayList<>(1);
            FieldReader.array(
                    parser,
                    item -> FieldReader.object(item, (field, p) -> {
                        if (field.equals("name")) {
                            out.add(reader.sharedText(p));
                        } else {
                            p.skipChildren();
                        }
                    }));
            return reader.share(out);
        }

        private void readTarget(String field, JsonParser parser) throws IOException {
            if (field.equals("name")) {
                target = FieldReader.text(parser);
            } else {
                parser.skipChildren();
            }
        }

        Endpoint toEndpoint(IpAddress ip) {
            return new Endpoint(
                    ip, ready, serving, terminating, nodeName, zone, zoneHints, nodeHints, target);
        }
    }
}
