package io.sluice.apiserver.bootstrap;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

import io.sluice.api.net.Cidr;
import io.sluice.api.net.IpAddress;
import io.sluice.api.net.IpFamily;
import io.sluice.api.object.Json;
import io.sluice.api.object.KubeObject;
import io.sluice.apiserver.registry.ApiException;
import io.sluice.apiserver.registry.Kind;
import io.sluice.apiserver.registry.Registry;
import io.sluice.apiserver.rest.WriteOptions;
import io.sluice.apiserver.rest.Writer;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.util.List;

/** Namespaces, the ServiceCIDR and the Service {@code kubernetes}: created where they are missing, its endpoint brought up to date. */
public final class BootstrapObjects {
    private static final Logger LOG = LoggerFactory.getLogger(BootstrapObjects.class);
    private static final List<String> NAMESPACES =
            List.of("default", "kube-system", "kube-public", "kube-node-lease");
    private static final String NAME = "kubernetes";
    private static final String NAMESPACE = "default";
    private static final int PORT = 443;
    private static final WriteOptions OPTIONS =
            new WriteOptions(false, WriteOptions.FieldValidation.IGNORE);

    private final Registry registry;
    private final Writer writer;

    public BootstrapObjects(Registry registry, Writer writer) {
        this.registry = registry;
        this.writer = writer;
    }

    /**
     * @param serviceRanges of cluster IPs, one for each family
     * @param clusterIps first address of each service range
     * @param advertised where clients inside the cluster reach this server
     */
    public void ensure(
            List<Cidr> serviceRanges, List<IpAddress> clusterIps, IpAddress advertised, int port) {
        Kind namespaces = registry.require("", "v1", "namespaces");
        NAMESPACES.forEach(name -> create(namespaces, "", named(namespaces, "", name)));
        Kind ranges = registry.require("networking.k8s.io", "v1", "servicecidrs");
        create(ranges, "", serviceCidr(ranges, serviceRanges));
        Kind services = registry.require("", "v1", "services");
        create(services, NAMESPACE, service(services, clusterIps, port));
        boolean reachable = !advertised.isLoopback();
        if (!reachable) {
            LOG.info(
                    "the advertised address {} is a loopback address, which no endpoint may have:"
                            + " Service default/kubernetes gets none",
                    advertised);
        }
        Kind endpoints = registry.require("", "v1", "endpoints");
        put(endpoints, endpoints(endpoints, advertised, port, reachable));
        Kind slices = registry.require("discovery.k8s.io", "v1", "endpointslices");
        put(slices, slice(slices, advertised, port, reachable));
    }

    private Writer.Target target(Kind kind, String namespace, String name) {
        return new Writer.Target(kind, namespace, name, "", OPTIONS, _ -> {});
    }

    private void create(Kind kind, String namespace, ObjectNode object) {
        String name = KubeObject.of(object).name();
        try {
            writer.create(target(kind, namespace, name), object);
        } catch (ApiException e) {
            if (e.code() != 409) {
                throw new IllegalStateException(
                        "cannot create " + kind.singular() + ' ' + name + " at start: "
                                + e.getMessage(),
                        e);
            }
        }
    }

    private void put(Kind kind, ObjectNode object) {
        String name = KubeObject.of(object).name();
        try {
            writer.update(target(kind, NAMESPACE, name), object::deepCopy);
        } catch (ApiException e) {
            if (e.code() == 404) {
                create(kind, NAMESPACE, object);
                return;
            }
            throw new IllegalStateException(
                    "cannot write " + kind.singular() + ' ' + name + " at start: " + e.getMessage(),
                    e);
        }
    }

    private static ObjectNode named(Kind kind, String namespace, String name) {
        ObjectNode out = Json.object()
                .put("kind", kind.gvk().kind())
                .put("apiVersion", kind.gvk().apiVersion());
        ObjectNode metadata = out.putObject("metadata").put("name", name);
        if (!namespace.isEmpty()) {
            metadata.put("namespace", namespace);
        }
        return out;
    }

    private static ObjectNode serviceCidr(Kind kind, List<Cidr> serviceRanges) {
        ObjectNode out = named(kind, "", NAME);
        ArrayNode blocks = out.putObject("spec").putArray("cidrs");
        serviceRanges.forEach(range -> blocks.add(range.toString()));
        return out;
    }

    private static ObjectNode service(Kind kind, List<IpAddress> clusterIps, int port) {
        ObjectNode out = named(kind, NAMESPACE, NAME);
        KubeObject.of(out)
                .metadataForUpdate()
                .putObject("labels")
                .put("component", "apiserver")
                .put("provider", NAME);
        ObjectNode spec = out.putObject("spec").put("type", "ClusterIP");
        spec.put("sessionAffinity", "None")
                .put("clusterIP", clusterIps.getFirst().toString());
        clusterIps.forEach(address -> spec.withArray("clusterIPs").add(address.toString()));
        spec.put("ipFamilyPolicy", clusterIps.size() > 1 ? "PreferDualStack" : "SingleStack");
        clusterIps.forEach(address -> spec.withArray("ipFamilies").add(family(address)));
        spec.putArray("ports")
                .addObject()
                .put("name", "https")
                .put("protocol", "TCP")
                .put("port", PORT)
                .put("targetPort", port);
        return out;
    }

    private static String family(IpAddress address) {
        return address.family() == IpFamily.IPV4 ? "IPv4" : "IPv6";
    }

    private static ObjectNode endpoints(Kind kind, IpAddress address, int port, boolean reachable) {
        ObjectNode out = named(kind, NAMESPACE, NAME);
        KubeObject.of(out)
                .metadataForUpdate()
                .putObject("labels")
                .put("endpointslice.kubernetes.io/skip-mirror", "true");
        if (!reachable) {
            return out;
        }
        ObjectNode subset = out.putArray("subsets").addObject();
        subset.putArray("addresses").addObject().put("ip", address.toString());
        subset.putArray("ports")
                .addObject()
                .put("name", "https")
                .put("port", port)
                .put("protocol", "TCP");
        return out;
    }

    private static ObjectNode slice(Kind kind, IpAddress address, int port, boolean reachable) {
        ObjectNode out = named(kind, NAMESPACE, NAME);
        KubeObject.of(out)
                .metadataForUpdate()
                .putObject("labels")
                .put("kubernetes.io/service-name", NAME);
        out.put("addressType", family(address));
        ArrayNode endpoints = out.putArray("endpoints");
        if (reachable) {
            ObjectNode endpoint = endpoints.addObject();
            endpoint.putArray("addresses").add(address.toString());
            endpoint.putObject("conditions").put("ready", true);
        }
        out.putArray("ports")
                .addObject()
                .put("name", "https")
                .put("port", port)
                .put("protocol", "TCP");
        return out;
    }
}
