package io.sluice.apiserver.kinds;

import static io.sluice.apiserver.kinds.KindBuilder.core;

import com.fasterxml.jackson.databind.node.ObjectNode;

import io.sluice.api.meta.Names;
import io.sluice.api.object.KubeObject;
import io.sluice.apiserver.allocator.ServiceAllocator;
import io.sluice.apiserver.registry.Column;
import io.sluice.apiserver.registry.Kind;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

/**
 * The table of built-in kinds. To add one: its types in a schema table, an entry here, and a strategy and columns where it has
 * behaviour or cells of its own.
 */
public final class BuiltinKinds {
    private BuiltinKinds() {}

    /**
     * Every kind, in the order discovery lists them.
     *
     * @param services for the Service kind; load it with what is stored before the first write
     */
    public static List<Kind> all(ServiceAllocator services) {
        List<Kind> out = new ArrayList<>(List.of(
                configMap(),
                endpoints(),
                event(),
                namespace(),
                node(),
                pod(),
                secret(),
                serviceAccount(),
                service(services),
                lease(),
                endpointSlice(),
                newerEvent(),
                serviceCidr()));
        return List.copyOf(out);
    }

    private static Kind configMap() {
        return core("ConfigMap", "configmaps")
                .shortNames("cm")
                .strategy(new ConfigKinds.ConfigMapStrategy())
                .columns(ConfigKinds.CONFIG_MAP_COLUMNS)
                .build();
    }

    private static Kind secret() {
        return core("Secret", "secrets")
                .strategy(new ConfigKinds.SecretStrategy())
                .columns(ConfigKinds.SECRET_COLUMNS)
                .select("type", secret -> KubeObject.text(secret, "type"))
                .build();
    }

    private static Kind endpoints() {
        return core("Endpoints", "endpoints")
                .shortNames("ep")
                .storage("services/endpoints")
                .strategy(new EndpointKinds.EndpointsStrategy())
                .columns(EndpointKinds.ENDPOINTS_COLUMNS)
                .build();
    }

    private static Kind endpointSlice() {
        return new KindBuilder(
                        "discovery.k8s.io", "v1", "EndpointSlice", "endpointslices", "discovery-v1")
                .strategy(new EndpointKinds.SliceStrategy())
                .columns(EndpointKinds.SLICE_COLUMNS)
                .build();
    }

    private static Kind serviceCidr() {
        return new KindBuilder(
                        "networking.k8s.io", "v1", "ServiceCIDR", "servicecidrs", "networking-v1")
                .cluster()
                .subresources("status")
                .strategy(new ClusterKinds.ServiceCidrStrategy())
                .columns(ClusterKinds.SERVICE_CIDR_COLUMNS)
                .build();
    }

    private static Kind namespace() {
        return core("Namespace", "namespaces")
                .shortNames("ns")
                .cluster()
                .without("deletecollection")
                .subresources("status", "finalize")
                .names(Names::dnsLabel)
                .strategy(new ClusterKinds.NamespaceStrategy())
                .columns(ClusterKinds.NAMESPACE_COLUMNS)
                .select("status.phase", inside("status", "phase"))
                .build();
    }

    private static Kind node() {
        List<Column> columns = new ArrayList<>(List.of(Columns.NAME));
        columns.addAll(ClusterKinds.NODE_COLUMNS);
        columns.add(Columns.AGE);
        columns.addAll(ClusterKinds.NODE_TAIL);
        return core("Node", "nodes")
                .shortNames("no")
                .cluster()
                .subresources("status")
                .storage("minions")
                .strategy(new ClusterKinds.NodeStrategy())
                .columns(columns)
                .select(
                        "spec.unschedulable",
                        node -> Boolean.toString(
                                node.path("spec").path("unschedulable").asBoolean()))
                .build(false);
    }

    private static Kind pod() {
        KindBuilder pod = core("Pod", "pods")
                .shortNames("po")
                .categories("all")
                .subresources("status")
                .strategy(new PodStrategy())
                .columns(PodColumns.ALL);
        for (String field :
                List.of("nodeName", "restartPolicy", "schedulerName", "serviceAccountName")) {
            pod.select("spec." + field, inside("spec", field));
        }
        for (String field : List.of("phase", "podIP", "nominatedNodeName")) {
            pod.select("status." + field, inside("status", field));
        }
        return pod.select(
                        "spec.hostNetwork",
                        object -> Boolean.toString(
                                object.path("spec").path("hostNetwork").asBoolean()))
                .select(
                        "status.podIPs",
                        object -> KubeObject.text(
                                object.path("status").path("podIPs").path(0), "ip"))
                .build();
    }

    private static Kind service(ServiceAllocator allocator) {
        return core("Service", "services")
                .shortNames("svc")
                .categories("all")
                .subresources("status")
                .storage("services/specs")
                .names(Names::dns1035Label)
                .strategy(new ServiceStrategy(allocator))
                .columns(ServiceColumns.ALL)
                .select("spec.clusterIP", inside("spec", "clusterIP"))
                .select("spec.type", inside("spec", "type"))
                .build();
    }

    private static Kind serviceAccount() {
        return core("ServiceAccount", "serviceaccounts")
                .shortNames("sa")
                .columns(ClusterKinds.SERVICE_ACCOUNT_COLUMNS)
                .build();
    }

    private static Kind lease() {
        return new KindBuilder("coordination.k8s.io", "v1", "Lease", "leases", "coordination-v1")
                .strategy(new ClusterKinds.LeaseStrategy())
                .columns(ClusterKinds.LEASE_COLUMNS)
                .build();
    }

    private static Kind event() {
        KindBuilder event = core("Event", "events")
                .shortNames("ev")
                .strategy(new EventKinds.EventStrategy(false))
                .columns(EventKinds.COLUMNS)
                .select("source", EventKinds::component);
        return eventSelectors(event, "involvedObject", "reportingComponent").build(false);
    }

    private static Kind newerEvent() {
        KindBuilder event = new KindBuilder("events.k8s.io", "v1", "Event", "events", "events-v1")
                .shortNames("ev")
                .strategy(new EventKinds.EventStrategy(true))
                .columns(EventKinds.COLUMNS)
                .conversion(new EventKinds.NewerConversion());
        return eventSelectors(event, "regarding", "reportingController").build(false);
    }

    private static KindBuilder eventSelectors(KindBuilder event, String about, String controller) {
        for (String field : List.of(
                "kind", "namespace", "name", "uid", "apiVersion", "resourceVersion", "fieldPath")) {
            event.select(
                    about + '.' + field,
                    object -> KubeObject.text(EventKinds.about(object), field));
        }
        return event.select("reason", object -> KubeObject.text(object, "reason"))
                .select("type", object -> KubeObject.text(object, "type"))
                .select(
                        controller,
                        object -> EventKinds.either(
                                        object, "reportingComponent", "reportingController")
                                .asText(""));
    }

    private static Function<ObjectNode, String> inside(String parent, String field) {
        return object -> KubeObject.text(object.path(parent), field);
    }
}
