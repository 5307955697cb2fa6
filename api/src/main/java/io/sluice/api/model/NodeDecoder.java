package io.sluice.api.model;

import com.fasterxml.jackson.core.JsonParser;

import io.sluice.api.net.Cidr;
import io.sluice.api.net.IpAddress;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

/** Reads v1 Nodes. */
public final class NodeDecoder implements ObjectDecoder<Node> {
    private static final String ZONE = "topology.kubernetes.io/zone";

    @Override
    public Optional<Decoded<Node>> decode(JsonParser parser, Consumer<String> problems)
            throws IOException {
        Draft draft = new Draft();
        boolean object = FieldReader.object(parser, draft::read);
        if (!object || draft.meta.id().name().isEmpty()) {
            problems.accept("Node without a name passed over");
            return Optional.empty();
        }
        draft.wrong.forEach(
                text -> problems.accept("Node " + draft.meta.id() + ": " + text + "; passed over"));
        return Optional.of(
                new Decoded<>(draft.meta.id(), draft.meta.resourceVersion(), draft.toNode()));
    }

    /** One Node while it is read. */
    private static final class Draft {
        private final MetaReader meta = new MetaReader();
        private final List<IpAddress> internal = new ArrayList<>(2);
        private final List<IpAddress> external = new ArrayList<>(2);
        private final List<Cidr> podCidrs = new ArrayList<>(2);
        private final List<String> taints = new ArrayList<>(0);
        private final List<String> wrong = new ArrayList<>(0);
        private String zone = "";

        void read(String field, JsonParser parser) throws IOException {
            switch (field) {
                case "metadata" ->
                    meta.read(parser, (map, key, p) -> {
                        if (map.equals("labels") && key.equals(ZONE)) {
                            zone = FieldReader.text(p);
                        } else {
                            p.skipChildren();
                        }
                    });
                case "spec" -> FieldReader.object(parser, this::readSpec);
                case "status" -> FieldReader.object(parser, this::readStatus);
                default -> parser.skipChildren();
            }
        }

        private void readSpec(String field, JsonParser parser) throws IOException {
            switch (field) {
                case "podCIDRs" -> {
                    for (String text : FieldReader.texts(parser)) {
                        Cidr.parse(text)
                                .ifPresentOrElse(
                                        podCidrs::add,
                                        () -> wrong.add(
                                                "podCIDRs \"" + text + "\" is no address block"));
                    }
                }
                case "taints" ->
                    FieldReader.array(
                            parser,
                            item -> FieldReader.object(item, (name, p) -> {
                                if (name.equals("key")) {
                                    taints.add(FieldReader.text(p));
                                } else {
                                    p.skipChildren();
                                }
                            }));
                default -> parser.skipChildren();
            }
        }

        private void readStatus(String field, JsonParser parser) throws IOException {
            if (field.equals("addresses")) {
                FieldReader.array(parser, this::readAddress);
            } else {
                parser.skipChildren();
            }
        }

        private void readAddress(JsonParser parser) throws IOException {
            String[] texts = {"", ""};
            FieldReader.object(parser, (field, p) -> {
                switch (field) {
                    case "type" -> texts[0] = FieldReader.text(p);
                    case "address" -> texts[1] = FieldReader.text(p);
                    default -> p.skipChildren();
                }
            });
            boolean isInternal = texts[0].equals("InternalIP");
            if (isInternal || texts[0].equals("ExternalIP")) {
                IpAddress.parse(texts[1])
                        .ifPresentOrElse(
                                isInternal ? internal::add : external::add,
                                () -> wrong.add(
                                        "status.addresses \"" + texts[1] + "\" is no IP address"));
            }
        }

        Node toNode() {
            List<IpAddress> addresses = new ArrayList<>(internal);
            addresses.addAll(external);
            return new Node(
                    meta.id().name(),
                    meta.uid(),
                    zone,
                    List.copyOf(addresses),
                    List.copyOf(podCidrs),
                    List.copyOf(taints),
                    meta.deleting());
        }
    }
}
