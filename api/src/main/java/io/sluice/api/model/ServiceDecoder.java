package io.sluice.api.model;

import com.fasterxml.jackson.core.JsonParser;

import io.sluice.api.net.Cidr;
import io.sluice.api.net.IpAddress;
import io.sluice.api.net.IpFamily;
import io.sluice.api.net.Protocol;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

/** Reads v1 Services. */
public final class ServiceDecoder implements ObjectDecoder<Service> {
    private static final String PROXY_NAME = "service.kubernetes.io/service-proxy-name";
    /** {@code DefaultClientIPServiceAffinitySeconds} of Kubernetes: three hours. */
    private static final int DEFAULT_AFFINITY_SECONDS = 10_800;

    private static final int LONGEST_AFFINITY_SECONDS = 86_400;

    @Override
    public Optional<Decoded<Service>> decode(JsonParser parser, Consumer<String> problems)
            throws IOException {
        Draft draft = new Draft();
        boolean object = FieldReader.object(parser, draft::read);
        if (!object || draft.meta.id().name().isEmpty()) {
            problems.accept("Service without a name passed over");
            return Optional.empty();
        }
        return Optional.of(new Decoded<>(
                draft.meta.id(), draft.meta.resourceVersion(), draft.toService(problems)));
    }

    /** One Service while it is read. */
    private static final class Draft {
        private final MetaReader meta = new MetaReader();
        private final List<ServicePort> ports = new ArrayList<>();
        private final List<LoadBalancerIngress> ingress = new ArrayList<>();
        private final List<String> wrong = new ArrayList<>();
        private String type = "";
        private String clusterIp = "";
        private List<String> clusterIps = List.of();
        private List<String> families = List.of();
        private List<String> externalIps = List.of();
        private List<String> sourceRanges = List.of();
        private String externalPolicy = "";
        private String internalPolicy = "";
        private int healthCheckNodePort;
        private boolean affinity;
        private int affinitySeconds = DEFAULT_AFFINITY_SECONDS;
        private String proxyName = "";
        private boolean proxyNamed;

        void read(String field, JsonParser parser) throws IOException {
            switch (field) {
                case "metadata" -> meta.read(parser, this::readLabel);
                case "spec" -> FieldReader.object(parser, this::readSpec);
                case "status" -> FieldReader.object(parser, this::readStatus);
                default -> parser.skipChildren();
            }
        }

        private void readLabel(String map, String key, JsonParser parser) throws IOException {
            if (map.equals("labels") && key.equals(PROXY_NAME)) {
                proxyNamed = true;
                proxyName = FieldReader.text(parser);
            } else {
                parser.skipChildren();
            }
        }

        private void readSpec(String field, JsonParser parser) throws IOException {
            switch (field) {
                case "type" -> type = FieldReader.text(parser);
                case "clusterIP" -> clusterIp = FieldReader.text(parser);
                case "clusterIPs" -> clusterIps = FieldReader.texts(parser);
                case "ipFamilies" -> families = FieldReader.texts(parser);
                case "ports" -> FieldReader.array(parser, this::readPort);
                case "externalIPs" -> externalIps = FieldReader.texts(parser);
                case "loadBalancerSourceRanges" -> sourceRanges = FieldReader.texts(parser);
                case "externalTrafficPolicy" -> externalPolicy = FieldReader.text(parser);
                case "internalTrafficPolicy" -> internalPolicy = FieldReader.text(parser);
                case "healthCheckNodePort" -> readHealthCheckNodePort(parser);
                case "sessionAffinity" -> affinity = FieldReader.text(parser).equals("ClientIP");
                case "sessionAffinityConfig" ->
                    FieldReader.object(
                            parser, (name, p) -> FieldReader.object(p, this::readAffinity));
                default -> parser.skipChildren();
            }
        }

        private void readHealthCheckNodePort(JsonParser parser) throws IOException {
            int port = FieldReader.number(parser);
            if (port < 0 || port > 65_535) {
                wrong.add("healthCheckNodePort " + port + " is no port");
            } else {
                healthCheckNodePort = port;
            }
        }

        private void readAffinity(String field, JsonParser parser) throws IOException {
            if (field.equals("timeoutSeconds")) {
                int seconds = FieldReader.number(parser);
                affinitySeconds = seconds > 0
                        ? Math.min(seconds, LONGEST_AFFINITY_SECONDS)
                        : DEFAULT_AFFINITY_SECONDS;
            } else {
                parser.skipChildren();
            }
        }

        private void readPort(JsonParser parser) throws IOException {
            String[] texts = {"", "TCP"};
            int[] numbers = new int[2];
            FieldReader.object(parser, (field, p) -> {
                switch (field) {
                    case "name" -> texts[0] = FieldReader.text(p);
                    case "protocol" -> texts[1] = FieldReader.text(p);
                    case "port" -> numbers[0] = FieldReader.number(p);
                    case "nodePort" -> numbers[1] = FieldReader.number(p);
                    default -> p.skipChildren();
                }
            });
            Optional<Protocol> protocol = protocol(texts[1]);
            if (protocol.isEmpty()
                    || numbers[0] < 1
                    || numbers[0] > 65_535
                    || numbers[1] < 0
                    || numbers[1] > 65_535) {
                wrong.add("port \"" + texts[0] + "\": protocol " + texts[1] + ", port " + numbers[0]
                        + ", nodePort " + numbers[1]);
                return;
            }
            ports.add(new ServicePort(texts[0], protocol.get(), numbers[0], numbers[1]));
        }

        private void readStatus(String field, JsonParser parser) throws IOException {
            if (!field.equals("loadBalancer")) {
                parser.skipChildren();
                return;
            }
            FieldReader.object(parser, (name, p) -> {
                if (name.equals("ingress")) {
                    FieldReader.array(p, this::readIngress);
                } else {
                    p.skipChildren();
                }
            });
        }

        private void readIngress(JsonParser parser) throws IOException {
            String[] texts = {"", ""};
            FieldReader.object(parser, (field, p) -> {
                switch (field) {
                    case "ip" -> texts[0] = FieldReader.text(p);
                    case "ipMode" -> texts[1] = FieldReader.text(p);
                    default -> p.skipChildren();
                }
            });
            if (texts[0].isEmpty()) {
                return; // host names concern DNS, not the node
            }
            Optional<IpAddress> ip = IpAddress.parse(texts[0]);
            if (ip.isEmpty()) {
                wrong.add("status.loadBalancer.ingress \"" + texts[0] + "\" is no IP address");
                return;
            }
            ingress.add(new LoadBalancerIngress(ip.get(), texts[1].equals("Proxy")));
        }

        Service toService(Consumer<String> problems) {
            boolean headless = clusterIp.equals("None") || clusterIps.contains("None");
            List<String> texts = !clusterIps.isEmpty()
                    ? clusterIps
                    : clusterIp.isEmpty() ? List.of() : List.of(clusterIp);
            Service service = new Service(
                    meta.id(),
                    meta.uid(),
                    serviceType(),
                    headless,
                    families(),
                    headless ? List.of() : addresses("clusterIPs", texts),
                    List.copyOf(ports),
                    addresses("externalIPs", externalIps),
                    List.copyOf(ingress),
                    blocks(),
                    externalPolicy.equals("Local"),
                    internalPolicy.equals("Local"),
                    healthCheckNodePort,
                    affinity ? affinitySeconds : 0,
                    proxyName,
                    proxyNamed);
            wrong.forEach(text ->
                    problems.accept("Service " + meta.id() + ": " + text + "; passed over"));
            return service;
        }

        private ServiceType serviceType() {
            for (ServiceType candidate : ServiceType.values()) {
                if (candidate.text().equals(type)) {
                    return candidate;
                }
            }
            if (!type.isEmpty()) {
                wrong.add("type \"" + type + "\" is unknown");
            }
            return ServiceType.CLUSTER_IP;
        }

        private List<IpFamily> families() {
            List<IpFamily> out = new ArrayList<>(2);
            for (String text : families) {
                if (text.equals(IpFamily.IPV4.text())) {
                    out.add(IpFamily.IPV4);
                } else if (text.equals(IpFamily.IPV6.text())) {
                    out.add(IpFamily.IPV6);
                } else {
                    wrong.add("ipFamilies \"" + text + "\" is unknown");
                }
            }
            return List.copyOf(out);
        }

        private List<IpAddress> addresses(String field, List<String> texts) {
            List<IpAddress> out = new ArrayList<>(texts.size());
            for (String text : texts) {
                IpAddress.parse(text.strip())
                        .ifPresentOrElse(
                                out::add,
                                () -> wrong.add(field + " \"" + text + "\" is no IP address"));
            }
            return List.copyOf(out);
        }

        private List<Cidr> blocks() {
            List<Cidr> out = new ArrayList<>(sourceRanges.size());
            for (String text : sourceRanges) {
                Cidr.parse(text.strip())
                        .ifPresentOrElse(
                                out::add,
                                () -> wrong.add("loadBalancerSourceRanges \"" + text
                                        + "\" is no address block"));
            }
            return List.copyOf(out);
        }
    }

    static Optional<Protocol> protocol(String text) {
        for (Protocol candidate : Protocol.values()) {
            if (candidate.name().equals(text)) {
                return Optional.of(candidate);
            }
        }
        return Optional.empty();
    }
}
