package io.sluice.api.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;

import io.sluice.api.meta.NamespacedName;
import io.sluice.api.net.Cidr;
import io.sluice.api.net.IpAddress;
import io.sluice.api.net.IpFamily;
import io.sluice.api.net.Protocol;
import io.sluice.api.object.Json;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

class DecoderTest {
    private final List<String> problems = new ArrayList<>();

    /** Decodes, and checks that the parser stands at the object's end. Single quotes stand for double ones. */
    private <T> Optional<Decoded<T>> decode(ObjectDecoder<T> decoder, String text)
            throws IOException {
        byte[] json =
                ("[" + text.replace('\'', '"') + ",\"after\"]").getBytes(StandardCharsets.UTF_8);
        try (JsonParser parser = Json.parser(json)) {
            parser.nextToken();
            parser.nextToken();
            Optional<Decoded<T>> decoded = decoder.decode(parser, problems::add);
            assertThat(parser.nextToken()).isEqualTo(JsonToken.VALUE_STRING);
            assertThat(parser.getText()).isEqualTo("after");
            return decoded;
        }
    }

    private Service service(String spec) throws IOException {
        String text = "{'metadata':{'name':'s','namespace':'d'},'spec':" + spec + "}";
        return decode(new ServiceDecoder(), text).orElseThrow().value();
    }

    private EndpointSlice slice(String rest) throws IOException {
        String text = "{'metadata':{'name':'x','namespace':'d'},'addressType':'IPv4'," + rest + "}";
        return decode(new EndpointSliceDecoder(), text).orElseThrow().value();
    }

    @Test
    void readsEveryFieldOfAService() throws IOException {
        Decoded<Service> decoded = decode(new ServiceDecoder(), """
                {"apiVersion": "v1", "kind": "Service",
                 "metadata": {"name": "web", "namespace": "shop", "uid": "u", "resourceVersion": "7",
                   "labels": {"a": "b", "service.kubernetes.io/service-proxy-name": "other"}, "managedFields": [{"x": [1]}]},
                 "spec": {"type": "LoadBalancer", "clusterIP": "10.0.0.1", "clusterIPs": ["10.0.0.1", "fd00::1"],
                   "ipFamilies": ["IPv4", "IPv6"], "selector": {"app": "web"},
                   "ports": [{"name": "http", "port": 80, "targetPort": "x", "nodePort": 30080, "appProtocol": "http"},
                             {"name": "dns", "protocol": "UDP", "port": 53, "targetPort": 5353},
                             {"name": "s", "protocol": "SCTP", "port": 9}],
                   "externalIPs": ["192.0.2.1", "2001:db8::1"], "loadBalancerSourceRanges": [" 10.0.0.0/8 ", "::/0"],
                   "externalTrafficPolicy": "Local", "internalTrafficPolicy": "Local", "healthCheckNodePort": 31000,
                   "sessionAffinity": "ClientIP", "sessionAffinityConfig": {"clientIP": {"timeoutSeconds": 60}}},
                 "status": {"conditions": [], "loadBalancer": {"ingress": [
                   {"ip": "198.51.100.1", "ipMode": "VIP"}, {"ip": "198.51.100.2", "ipMode": "Proxy"},
                   {"ip": "198.51.100.3"}, {"hostname": "lb.example"}]}}}""").orElseThrow();

        assertThat(decoded.name()).isEqualTo(new NamespacedName("shop", "web"));
        assertThat(decoded.resourceVersion()).isEqualTo("7");
        assertThat(decoded.value())
                .isEqualTo(new Service(
                        new NamespacedName("shop", "web"),
                        "u",
                        ServiceType.LOAD_BALANCER,
                        false,
                        List.of(IpFamily.IPV4, IpFamily.IPV6),
                        List.of(IpAddress.of("10.0.0.1"), IpAddress.of("fd00::1")),
                        List.of(
                                new ServicePort("http", Protocol.TCP, 80, 30080),
                                new ServicePort("dns", Protocol.UDP, 53, 0),
                                new ServicePort("s", Protocol.SCTP, 9, 0)),
                        List.of(IpAddress.of("192.0.2.1"), IpAddress.of("2001:db8::1")),
                        List.of(
                                new LoadBalancerIngress(IpAddress.of("198.51.100.1"), false),
                                new LoadBalancerIngress(IpAddress.of("198.51.100.2"), true),
                                new LoadBalancerIngress(IpAddress.of("198.51.100.3"), false)),
                        List.of(Cidr.of("10.0.0.0/8"), Cidr.of("::/0")),
                        true,
                        true,
                        31000,
                        60,
                        "other",
                        true));
        assertThat(problems).isEmpty();
    }

    @Test
    void givesAServiceItsDefaults() throws IOException {
        Service service = service("{'clusterIP':'10.0.0.1','ports':[{'port':80}]}");

        assertThat(service.type()).isEqualTo(ServiceType.CLUSTER_IP);
        assertThat(service.clusterIps()).containsExactly(IpAddress.of("10.0.0.1"));
        assertThat(service.ports()).containsExactly(new ServicePort("", Protocol.TCP, 80, 0));
        assertThat(service.affinitySeconds()).isZero();
        assertThat(service.externalLocal()).isFalse();
        assertThat(service.proxyNamed()).isFalse();
        assertThat(problems).isEmpty();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "{}                                                                            | 0",
                "{'sessionAffinity':'ClientIP'}                                                | 10800",
                "{'sessionAffinity':'ClientIP','sessionAffinityConfig':{'clientIP':null}}      | 10800",
                "{'sessionAffinity':'ClientIP','sessionAffinityConfig':{'clientIP':{'timeoutSeconds':5}}} | 5",
                "{'sessionAffinityConfig':{'clientIP':{'timeoutSeconds':5}},'sessionAffinity':'ClientIP'} | 5",
                "{'sessionAffinity':'None','sessionAffinityConfig':{'clientIP':{'timeoutSeconds':5}}}     | 0",
                "{'sessionAffinity':'ClientIP','sessionAffinityConfig':{'clientIP':{'timeoutSeconds':-1}}} | 10800",
                "{'sessionAffinity':'ClientIP','sessionAffinityConfig':{'clientIP':{'timeoutSeconds':999999}}} | 86400",
            })
    void readsAffinity(String spec, int seconds) throws IOException {
        assertThat(service(spec).affinitySeconds()).isEqualTo(seconds);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "{'clusterIP':'None'}                       | true",
                "{'clusterIP':'None','clusterIPs':['None']} | true",
                "{'clusterIPs':['None']}                    | true",
                "{'clusterIP':''}                           | false",
                "{}                                         | false",
            })
    void readsHeadlessServices(String spec, boolean headless) throws IOException {
        assertThat(service(spec).headless()).isEqualTo(headless);
        assertThat(service(spec).clusterIps()).isEmpty();
        assertThat(problems).isEmpty();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "{'clusterIPs':['10.0.0.1','x']}                | clusterIPs \"x\" is no IP address",
                "{'externalIPs':['10.0.0.300']}                 | externalIPs \"10.0.0.300\" is no IP address",
                "{'loadBalancerSourceRanges':['10.0.0.0/99']}   | loadBalancerSourceRanges \"10.0.0.0/99\" is no address block",
                "{'ports':[{'port':0}]}                         | port \"\": protocol TCP, port 0, nodePort 0",
                "{'ports':[{'name':'a','port':70000}]}          | port \"a\": protocol TCP, port 70000, nodePort 0",
                "{'ports':[{'name':'a','port':'80'}]}           | port \"a\": protocol TCP, port 0, nodePort 0",
                "{'ports':[{'port':80,'nodePort':-1}]}          | port \"\": protocol TCP, port 80, nodePort -1",
                "{'ports':[{'port':80,'protocol':'ICMP'}]}      | port \"\": protocol ICMP, port 80, nodePort 0",
                "{'ports':[5]}                                  | port \"\": protocol TCP, port 0, nodePort 0",
                "{'type':'Magic'}                               | type \"Magic\" is unknown",
                "{'ipFamilies':['IPv5']}                        | ipFamilies \"IPv5\" is unknown",
                "{'healthCheckNodePort':70000}                  | healthCheckNodePort 70000 is no port",
            })
    void reportsABadValueOfAServiceAndKeepsTheRest(String spec, String problem) throws IOException {
        Service service = service(spec);

        assertThat(service.ports()).isEmpty();
        assertThat(service.healthCheckNodePort()).isZero();
        assertThat(problems).containsExactly("Service d/s: " + problem + "; passed over");
    }

    @Test
    void readsEveryFieldOfASlice() throws IOException {
        Decoded<EndpointSlice> decoded = decode(new EndpointSliceDecoder(), """
                {"kind": "EndpointSlice", "apiVersion": "discovery.k8s.io/v1",
                 "metadata": {"name": "web-1", "namespace": "shop", "resourceVersion": "9",
                   "labels": {"kubernetes.io/service-name": "web", "service.kubernetes.io/headless": ""},
                   "annotations": {"endpoints.kubernetes.io/last-change-trigger-time": "2026-12-01T10:00:00.5Z"}},
                 "addressType": "IPv6",
                 "endpoints": [
                   {"addresses": ["fd00::1", "fd00::2"], "conditions": {"ready": false, "serving": true, "terminating": true},
                    "nodeName": "n1", "zone": "z1", "hostname": "h",
                    "hints": {"forZones": [{"name": "z1"}, {"name": "z2"}], "forNodes": [{"name": "n1"}]},
                    "targetRef": {"kind": "Pod", "name": "web-abc", "namespace": "shop"}}],
                 "ports": [{"name": "http", "protocol": "TCP", "port": 8080, "appProtocol": "h"},
                           {"name": "", "protocol": "UDP", "port": 53}]}""").orElseThrow();

        assertThat(decoded.resourceVersion()).isEqualTo("9");
        assertThat(decoded.value())
                .isEqualTo(new EndpointSlice(
                        new NamespacedName("shop", "web-1"),
                        "web",
                        true,
                        AddressType.IPV6,
                        List.of(new Endpoint(
                                IpAddress.of("fd00::1"),
                                false,
                                true,
                                true,
                                "n1",
                                "z1",
                                List.of("z1", "z2"),
                                List.of("n1"),
                                "web-abc")),
                        List.of(
                                new EndpointPort("http", Protocol.TCP, 8080),
                                new EndpointPort("", Protocol.UDP, 53)),
                        1_796_119_200_500L));
        assertThat(decoded.value().service()).isEqualTo(new NamespacedName("shop", "web"));
        assertThat(problems).isEmpty();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "{}                                                        | true, true, false",
                "{'conditions':null}                                       | true, true, false",
                "{'conditions':{}}                                         | true, true, false",
                "{'conditions':{'ready':null,'serving':null,'terminating':null}} | true, true, false",
                "{'conditions':{'ready':false}}                            | false, true, false",
                "{'conditions':{'serving':false}}                          | true, false, false",
                "{'conditions':{'terminating':true}}                       | true, true, true",
                "{'conditions':{'ready':'false'}}                          | true, true, false",
            })
    void givesConditionsTheirDefaults(String endpoint, String expected) throws IOException {
        String withAddress = endpoint.equals("{}")
                ? "{'addresses':['10.0.0.1']}"
                : "{'addresses':['10.0.0.1']," + endpoint.substring(1);
        Endpoint read = slice("'endpoints':[" + withAddress + "]").endpoints().getFirst();

        assertThat(read.ready() + ", " + read.serving() + ", " + read.terminating())
                .isEqualTo(expected);
        assertThat(read.nodeName() + read.zone() + read.target()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{'port':80}",
                "{'name':null,'port':80}",
                "{'name':'a'}",
                "{'name':'a','port':null}",
                "{'name':'a','port':0}",
                "{'name':'a','port':'80'}"
            })
    void leavesOutPortsWithoutNameOrNumber(String port) throws IOException {
        assertThat(slice("'ports':[" + port + "]").ports()).isEmpty();
        assertThat(problems).isEmpty();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "'endpoints':[{'addresses':['x']}]                 | address \"x\" is no IP address",
                "'endpoints':[{'addresses':['::1']}]               | address ::1 is not of type IPv4",
                "'ports':[{'name':'','port':70000}]                | port 70000, protocol TCP",
                "'ports':[{'name':'','port':80,'protocol':'X'}]    | port 80, protocol X",
            })
    void reportsABadValueOfASliceAndKeepsTheRest(String rest, String problem) throws IOException {
        EndpointSlice slice = slice(rest);

        assertThat(slice.endpoints()).isEmpty();
        assertThat(slice.ports()).isEmpty();
        assertThat(problems).containsExactly("EndpointSlice d/x: " + problem + "; passed over");
    }

    @Test
    void readsAddressesWhoseTypeComesBehindThem() throws IOException {
        String names =
                "{'endpoints':[{'addresses':['db.example']},{'addresses':['10.0.0.1']}],'addressType':'FQDN',"
                        + "'metadata':{'name':'x'}}";

        assertThat(decode(new EndpointSliceDecoder(), names)
                        .orElseThrow()
                        .value()
                        .endpoints())
                .isEmpty();
        assertThat(problems).isEmpty();
    }

    @Test
    void leavesOutEndpointsWithoutAddress() throws IOException {
        assertThat(slice("'endpoints':[{'addresses':[]},{},{'addresses':null},null,5]")
                        .endpoints())
                .isEmpty();
        assertThat(slice("'endpoints':null,'ports':null").endpoints()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"'yesterday'", "5", "null", "'2026-12-01'"})
    void takesAnUnreadableTriggerTimeForNone(String time) throws IOException {
        String text =
                "{'metadata':{'name':'x','annotations':{'endpoints.kubernetes.io/last-change-trigger-time':"
                        + time + "}},'addressType':'IPv4'}";
        assertThat(decode(new EndpointSliceDecoder(), text)
                        .orElseThrow()
                        .value()
                        .triggerTime())
                .isZero();
    }

    @Test
    void refusesASliceOfUnknownType() throws IOException {
        assertThat(decode(
                        new EndpointSliceDecoder(),
                        "{'metadata':{'name':'x'},'addressType':'IPX'}"))
                .isEmpty();
        assertThat(problems)
                .containsExactly("EndpointSlice x: addressType \"IPX\" is unknown; passed over");
    }

    @Test
    void readsAServiceCidr() throws IOException {
        Decoded<ServiceCidr> decoded = decode(new ServiceCidrDecoder(), """
                {"metadata": {"name": "kubernetes", "resourceVersion": "3"},
                 "spec": {"cidrs": ["10.96.0.0/16", "bad", "fd00::/112"], "other": {}},
                 "status": {"conditions": []}}""").orElseThrow();

        assertThat(decoded.value())
                .isEqualTo(new ServiceCidr(
                        "kubernetes", List.of(Cidr.of("10.96.0.0/16"), Cidr.of("fd00::/112"))));
        assertThat(problems)
                .containsExactly(
                        "ServiceCIDR kubernetes: spec.cidrs \"bad\" is no address block; passed over");
    }

    @Test
    void readsANode() throws IOException {
        Decoded<Node> decoded = decode(new NodeDecoder(), """
                {"metadata": {"name": "n1", "uid": "u", "resourceVersion": "3", "deletionTimestamp": "2026-12-01T10:00:00Z",
                   "labels": {"topology.kubernetes.io/zone": "z1", "kubernetes.io/hostname": "n1"}},
                 "spec": {"podCIDR": "10.1.0.0/24", "podCIDRs": ["10.1.0.0/24", "bad", "fd00::/64"],
                   "taints": [{"key": "a", "effect": "NoSchedule"}, {"key": "b"}]},
                 "status": {"addresses": [{"type": "Hostname", "address": "n1"}, {"type": "ExternalIP", "address": "192.0.2.1"},
                   {"type": "InternalIP", "address": "10.9.0.1"}, {"type": "InternalIP", "address": "oops"}]}}""").orElseThrow();

        assertThat(decoded.value())
                .isEqualTo(new Node(
                        "n1",
                        "u",
                        "z1",
                        List.of(IpAddress.of("10.9.0.1"), IpAddress.of("192.0.2.1")),
                        List.of(Cidr.of("10.1.0.0/24"), Cidr.of("fd00::/64")),
                        List.of("a", "b"),
                        true));
        assertThat(problems)
                .containsExactly(
                        "Node n1: podCIDRs \"bad\" is no address block; passed over",
                        "Node n1: status.addresses \"oops\" is no IP address; passed over");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "null",
                "5",
                "'text'",
                "[]",
                "[[{}]]",
                "{}",
                "{'metadata':null}",
                "{'metadata':{'name':5}}",
                "{'metadata':{'name':''},'spec':{'ports':[{'port':1}]}}"
            })
    void passesOverWhatIsNoObjectAndGoesOn(String text) throws IOException {
        assertThat(decode(new ServiceDecoder(), text)).isEmpty();
        assertThat(decode(new EndpointSliceDecoder(), text)).isEmpty();
        assertThat(decode(new NodeDecoder(), text)).isEmpty();
        assertThat(decode(new TreeDecoder(), text)).isEmpty();
        assertThat(problems).hasSize(4);
    }

    @Test
    void readsMistypedFieldsAsAbsent() throws IOException {
        String every =
                "{'metadata':{'name':'a','labels':5,'annotations':[]},'spec':{'type':{},'clusterIP':[],'clusterIPs':{},"
                        + "'ipFamilies':5,'ports':{},'externalIPs':'x','loadBalancerSourceRanges':true,'externalTrafficPolicy':1,"
                        + "'healthCheckNodePort':'x','sessionAffinity':{},'sessionAffinityConfig':[{}],'podCIDRs':{},'taints':[5]},"
                        + "'status':{'loadBalancer':[],'addresses':{}},'addressType':'IPv4','endpoints':{},'ports':[[],{'name':{}}]}";

        assertThat(decode(new ServiceDecoder(), every)).isPresent();
        assertThat(decode(new NodeDecoder(), every)).isPresent();
        assertThat(decode(new EndpointSliceDecoder(), every)).isPresent();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{\"metadata\":{\"name\":\"a\"",
                "{\"metadata\":{\"name\":}}",
                "{\"metadata\" 5}",
                "{\"spec\":{]}"
            })
    void failsOnBrokenText(String text) {
        assertThatThrownBy(() -> {
                    try (JsonParser parser = Json.parser(text.getBytes(StandardCharsets.UTF_8))) {
                        parser.nextToken();
                        new ServiceDecoder().decode(parser, problems::add);
                    }
                })
                .isInstanceOf(IOException.class);
    }
}
