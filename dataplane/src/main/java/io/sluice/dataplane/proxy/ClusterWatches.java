package io.sluice.dataplane.proxy;

import io.sluice.api.client.KubeClient;
import io.sluice.api.client.ListOptions;
import io.sluice.api.client.WatchListener;
import io.sluice.api.meta.GroupVersionResource;
import io.sluice.api.meta.NamespacedName;
import io.sluice.api.model.EndpointSlice;
import io.sluice.api.model.EndpointSliceDecoder;
import io.sluice.api.model.Node;
import io.sluice.api.model.NodeDecoder;
import io.sluice.api.model.Service;
import io.sluice.api.model.ServiceCidr;
import io.sluice.api.model.ServiceCidrDecoder;
import io.sluice.api.model.ServiceDecoder;
import io.sluice.api.net.Cidr;
import io.sluice.dataplane.conductor.Conductor;

import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;

/** What the proxy asks the API server for, and whom it tells. Called by the watches' threads. */
final class ClusterWatches {
    private static final GroupVersionResource NODES = new GroupVersionResource("", "v1", "nodes");
    private static final GroupVersionResource SERVICES =
            new GroupVersionResource("", "v1", "services");
    private static final GroupVersionResource SERVICE_CIDRS =
            new GroupVersionResource("networking.k8s.io", "v1", "servicecidrs");
    private static final GroupVersionResource SLICES =
            new GroupVersionResource("discovery.k8s.io", "v1", "endpointslices");

    private final Conductor conductor;
    private final boolean externalIps;
    private final Consumer<Optional<Node>> onNode;
    private final ProblemLog problems;
    private boolean servicesListed;
    private boolean nodeListed;

    /** @param externalIps whether {@code spec.externalIPs} count @param onNode learns of our node */
    ClusterWatches(
            Conductor conductor,
            boolean externalIps,
            Consumer<Optional<Node>> onNode,
            ProblemLog problems) {
        this.conductor = conductor;
        this.externalIps = externalIps;
        this.onNode = onNode;
        this.problems = problems;
    }

    /** Starts the one that only some modes ask for; it runs until closed. */
    KubeClient.Watch startServiceCidrs(KubeClient client) {
        return client.watch(
                SERVICE_CIDRS,
                new ListOptions("", "", ""),
                new ServiceCidrDecoder(),
                new ServiceCidrs());
    }

    /** Starts those that all modes need; they run until closed. */
    List<KubeClient.Watch> start(KubeClient client, String nodeName) {
        return List.of(
                client.watch(
                        NODES,
                        new ListOptions("", "", "metadata.name=" + nodeName),
                        new NodeDecoder(),
                        new Nodes()),
                client.watch(
                        SERVICES,
                        new ListOptions(
                                "",
                                "!service.kubernetes.io/service-proxy-name",
                                "spec.clusterIP!=None"),
                        new ServiceDecoder(),
                        new Services()),
                client.watch(
                        SLICES,
                        new ListOptions("", "!service.kubernetes.io/headless", ""),
                        new EndpointSliceDecoder(),
                        new Slices()));
    }

    /** The node stays unknown for now; what is known of the interfaces must do. Any thread. */
    void goOnWithoutNode() {
        boolean waits;
        synchronized (this) {
            waits = !nodeListed;
        }
        if (waits) {
            problems.warn("the Node could not be listed in time; node ports and policies follow the"
                    + " addresses of the interfaces until it is");
            onListed(false, true);
        }
    }

    /** The first sync waits for the node too: without it node ports would for a moment be on whatever address is first. */
    private synchronized void onListed(boolean services, boolean node) {
        servicesListed |= services;
        nodeListed |= node;
        if (servicesListed && nodeListed) {
            conductor.onServicesSynced();
        }
    }

    private final class Nodes implements WatchListener<Node> {
        @Override
        public void onUpsert(Node node) {
            onNode.accept(Optional.of(node));
        }

        @Override
        public void onDelete(NamespacedName name) {
            problems.warn("Node " + name.name() + " was deleted; going on with what was known");
            onNode.accept(Optional.empty());
        }

        @Override
        public void onSynced() {
            onListed(false, true);
        }

        @Override
        public void onProblem(String problem) {
            problems.warn(problem);
        }
    }

    /** Called by its watch's thread alone. */
    private final class ServiceCidrs implements WatchListener<ServiceCidr> {
        private final Map<String, ServiceCidr> known = new HashMap<>();
        private boolean synced;

        @Override
        public void onUpsert(ServiceCidr range) {
            known.put(range.name(), range);
            tell();
        }

        @Override
        public void onDelete(NamespacedName name) {
            known.remove(name.name());
            tell();
        }

        @Override
        public void onSynced() {
            synced = true;
            tell();
        }

        private void tell() {
            if (synced) {
                conductor.onServiceRanges(known.values().stream()
                        .flatMap(range -> range.blocks().stream())
                        .distinct()
                        .sorted(Comparator.comparing(Cidr::address).thenComparing(Cidr::prefix))
                        .toList());
            }
        }

        @Override
        public void onProblem(String problem) {
            problems.warn(problem);
        }
    }

    private final class Services implements WatchListener<Service> {
        @Override
        public void onUpsert(Service service) {
            conductor.onService(externalIps ? service : withoutExternalIps(service));
        }

        @Override
        public void onDelete(NamespacedName name) {
            conductor.onServiceDeleted(name);
        }

        @Override
        public void onSynced() {
            onListed(true, false);
        }

        @Override
        public void onProblem(String problem) {
            problems.warn(problem);
        }
    }

    private static Service withoutExternalIps(Service service) {
        return new Service(
                service.name(),
                service.uid(),
                service.type(),
                service.headless(),
                service.ipFamilies(),
                service.clusterIps(),
                service.ports(),
                List.of(),
                service.ingress(),
                service.sourceRanges(),
                service.externalLocal(),
                service.internalLocal(),
                service.healthCheckNodePort(),
                service.affinitySeconds(),
                service.proxyName(),
                service.proxyNamed());
    }

    private final class Slices implements WatchListener<EndpointSlice> {
        @Override
        public void onUpsert(EndpointSlice slice) {
            if (slice.serviceName().isEmpty()) {
                problems.warn("EndpointSlice " + slice.name()
                        + " has no label kubernetes.io/service-name; it is passed over");
            }
            conductor.onSlice(slice);
        }

        @Override
        public void onDelete(NamespacedName name) {
            conductor.onSliceDeleted(name);
        }

        @Override
        public void onSynced() {
            conductor.onSlicesSynced();
        }

        @Override
        public void onProblem(String problem) {
            problems.warn(problem);
        }
    }
}
