package io.sluice.iptables;

import io.sluice.api.net.Cidr;
import io.sluice.api.net.IpAddress;
import io.sluice.api.net.IpFamily;
import io.sluice.api.net.Protocol;
import io.sluice.endpoints.Backend;
import io.sluice.endpoints.ServicePortImage;
import io.sluice.endpoints.ServicePortName;
import io.sluice.rules.RuleSettings;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;

/** Writes the rules of one Service port. Pure. */
final class ServicePlanner {
    private static final Target MARK = new Target.Jump(ChainNames.MARK_MASQ);

    private final RuleSettings settings;
    private final ServicePortImage port;
    private final boolean endpointComments;
    private final SortedMap<String, List<Rule>> chains = new TreeMap<>();
    private final List<Rule> services = new ArrayList<>();
    private final List<Rule> nodePorts = new ArrayList<>();
    private final List<Rule> unserved = new ArrayList<>();
    private final List<Rule> unservedOutside = new ArrayList<>();
    private final List<Rule> guarded = new ArrayList<>();
    private final List<Rule> healthPorts = new ArrayList<>();

    private ServicePlanner(RuleSettings settings, ServicePortImage port, boolean endpointComments) {
        this.settings = settings;
        this.port = port;
        this.endpointComments = endpointComments;
    }

    /** @param endpointComments whether rules of single endpoints carry comments: with many endpoints these are most of the text */
    static ServiceRules plan(
            RuleSettings settings, ServicePortImage port, boolean endpointComments) {
        return new ServicePlanner(settings, port, endpointComments).plan();
    }

    private ServiceRules plan() {
        clusterIp();
        boolean anywhere = port.endpoints().anywhere();
        for (IpAddress ip : port.externalIps()) {
            external(ip, "external IP", ChainNames.external(port.name()));
        }
        for (IpAddress vip : port.vips()) {
            String chain = port.vipsRestricted()
                    ? ChainNames.ranges(port.name())
                    : ChainNames.external(port.name());
            external(vip, "loadbalancer IP", chain);
            if (port.vipsRestricted() && anywhere) {
                guarded.add(rule(
                        port.name() + " traffic not accepted by " + ChainNames.ranges(port.name()),
                        new Target.Drop(),
                        to(vip, port.port())));
            }
        }
        nodePort();
        if (port.healthCheckNodePort() != 0) {
            healthPorts.add(Rule.of(
                    port.name() + " health check node port",
                    new Target.Accept(),
                    new Match.OfProtocol(Protocol.TCP),
                    new Match.ToPort(port.healthCheckNodePort())));
        }
        ownChains();
        return new ServiceRules(
                chains,
                List.copyOf(services),
                List.copyOf(nodePorts),
                List.copyOf(unserved),
                List.copyOf(unservedOutside),
                List.copyOf(guarded),
                List.copyOf(healthPorts));
    }

    private static Rule rule(String comment, Target target, List<Match> matches) {
        return new Rule(comment, matches, target);
    }

    private List<Match> to(IpAddress address, int toPort) {
        return List.of(
                new Match.OfProtocol(port.name().protocol()),
                new Match.To(single(address), false),
                new Match.ToPort(toPort));
    }

    private static Cidr single(IpAddress address) {
        return new Cidr(address, address.family().bits());
    }

    private void clusterIp() {
        List<Match> matches = to(port.clusterIp(), port.port());
        if (port.internalBackends().isEmpty()) {
            unserved.add(rule(
                    refusalComment(port.internalLocal()), refusal(port.internalLocal()), matches));
        } else {
            services.add(
                    rule(port.name() + " cluster IP", new Target.Jump(internalChain()), matches));
        }
    }

    private String internalChain() {
        return port.internalLocal()
                ? ChainNames.local(port.name())
                : ChainNames.cluster(port.name());
    }

    /** Refuses where nobody serves anywhere; is silent where only others' nodes may serve. */
    private Target refusal(boolean local) {
        return local && port.endpoints().anywhere() ? new Target.Drop() : new Target.Reject();
    }

    private String refusalComment(boolean local) {
        return port.name()
                + (local && port.endpoints().anywhere()
                        ? " has no local endpoints"
                        : " has no endpoints");
    }

    private void external(IpAddress address, String what, String chain) {
        List<Match> matches = to(address, port.port());
        if (port.endpoints().anywhere()) {
            services.add(rule(port.name() + " " + what, new Target.Jump(chain), matches));
        }
        if (port.externalBackends().isEmpty()) {
            unservedOutside.add(rule(
                    refusalComment(port.externalLocal()), refusal(port.externalLocal()), matches));
        }
    }

    private void nodePort() {
        if (port.nodePort() == 0) {
            return;
        }
        Match protocol = new Match.OfProtocol(port.name().protocol());
        Match toPort = new Match.ToPort(port.nodePort());
        if (port.endpoints().anywhere()) {
            nodePorts.add(Rule.of(
                    port.name().toString(),
                    new Target.Jump(ChainNames.external(port.name())),
                    protocol,
                    toPort));
        }
        if (port.externalBackends().isEmpty()) {
            unservedOutside.add(Rule.of(
                    refusalComment(port.externalLocal()),
                    refusal(port.externalLocal()),
                    new Match.ToLocal(),
                    protocol,
                    toPort));
        }
    }

    private boolean hasExternal() {
        return port.nodePort() != 0
                || !port.externalIps().isEmpty()
                || !port.vips().isEmpty();
    }

    private void ownChains() {
        ServicePortName name = port.name();
        List<Backend> cluster = port.endpoints().cluster();
        List<Backend> local = port.endpoints().local();
        boolean external = hasExternal() && port.endpoints().anywhere();
        Set<Backend> used = new LinkedHashSet<>();
        if (!cluster.isEmpty() && (!port.internalLocal() || external)) {
            chains.put(ChainNames.cluster(name), choice(name, cluster, !port.internalLocal()));
            used.addAll(cluster);
        }
        if (!local.isEmpty() && (port.internalLocal() || external && port.externalLocal())) {
            chains.put(ChainNames.local(name), choice(name, local, port.internalLocal()));
            used.addAll(local);
        }
        if (external) {
            chains.put(ChainNames.external(name), externalChain());
            if (port.vipsRestricted() && !port.vips().isEmpty()) {
                chains.put(ChainNames.ranges(name), rangesChain());
            }
        }
        used.forEach(backend -> chains.put(ChainNames.endpoint(name, backend), endpoint(backend)));
    }

    /** @param internal whether the cluster IP leads here */
    private List<Rule> choice(ServicePortName name, List<Backend> backends, boolean internal) {
        List<Rule> out = new ArrayList<>();
        if (internal) {
            masqueradeAtClusterIp().ifPresent(out::add);
        }
        if (port.affinitySeconds() > 0) {
            for (Backend backend : backends) {
                String chain = ChainNames.endpoint(name, backend);
                out.add(Rule.of(
                        endpointComment(backend),
                        new Target.Jump(chain),
                        new Match.Remembered(chain, port.affinitySeconds())));
            }
        }
        for (int i = 0; i < backends.size(); i++) {
            Backend backend = backends.get(i);
            int left = backends.size() - i;
            out.add(rule(
                    endpointComment(backend),
                    new Target.Jump(ChainNames.endpoint(name, backend)),
                    left == 1 ? List.of() : List.of(new Match.Chance(left))));
        }
        return List.copyOf(out);
    }

    private String endpointComment(Backend backend) {
        return endpointComments ? port.name() + " -> " + backend.text() : "";
    }

    private Optional<Rule> masqueradeAtClusterIp() {
        String comment = port.name() + " cluster IP";
        List<Match> matches = new ArrayList<>(to(port.clusterIp(), port.port()));
        if (settings.masqueradeAll()) {
            return Optional.of(rule(comment, MARK, List.copyOf(matches)));
        }
        return Detection.of(settings.detector(), family()).map(pods -> {
            matches.addFirst(pods.notFromPod());
            return rule(comment, MARK, List.copyOf(matches));
        });
    }

    private IpFamily family() {
        return port.name().family();
    }

    private List<Rule> externalChain() {
        ServicePortName name = port.name();
        Target cluster = new Target.Jump(ChainNames.cluster(name));
        if (!port.externalLocal()) {
            return List.of(
                    Rule.of("masquerade traffic for " + name + " external destinations", MARK),
                    Rule.of("", cluster));
        }
        List<Rule> out = new ArrayList<>();
        if (!port.endpoints().cluster().isEmpty()) {
            Detection.of(settings.detector(), family())
                    .ifPresent(pods -> out.add(Rule.of(
                            "pod traffic for " + name + " external destinations",
                            cluster,
                            pods.fromPod())));
            out.add(Rule.of(
                    "masquerade LOCAL traffic for " + name + " external destinations",
                    MARK,
                    new Match.FromLocal()));
            out.add(Rule.of(
                    "route LOCAL traffic for " + name + " external destinations",
                    cluster,
                    new Match.FromLocal()));
        }
        if (!port.endpoints().local().isEmpty()) {
            out.add(Rule.of("", new Target.Jump(ChainNames.local(name))));
        }
        return List.copyOf(out);
    }

    private List<Rule> rangesChain() {
        String comment = port.name() + " loadbalancer IP";
        List<Rule> out = new ArrayList<>();
        for (Cidr range : port.sourceRanges()) {
            out.add(Rule.of(
                    comment,
                    new Target.Jump(ChainNames.external(port.name())),
                    new Match.From(range, false)));
        }
        out.add(Rule.of(
                "other traffic to " + port.name() + " will be dropped by KUBE-PROXY-FIREWALL",
                new Target.Nothing()));
        return List.copyOf(out);
    }

    private List<Rule> endpoint(Backend backend) {
        String comment = endpointComments ? port.name().toString() : "";
        List<Match> matches = new ArrayList<>();
        if (port.affinitySeconds() > 0) {
            matches.add(new Match.Remember(ChainNames.endpoint(port.name(), backend)));
        }
        matches.add(new Match.OfProtocol(port.name().protocol()));
        return List.of(
                Rule.of(comment, MARK, new Match.From(single(backend.address()), false)),
                rule(comment, new Target.Dnat(backend), List.copyOf(matches)));
    }
}
