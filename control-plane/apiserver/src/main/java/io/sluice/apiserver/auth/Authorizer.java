package io.sluice.apiserver.auth;

import io.sluice.apiserver.auth.Attributes.OfPath;
import io.sluice.apiserver.auth.Attributes.OfResource;

import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Who may do what: administrators everything, the built-in components what the table says, everybody else nothing but discovery, and
 * the unknown nothing but health. Pure.
 */
public final class Authorizer {
    private static final Set<String> HEALTH = Set.of("/livez", "/readyz", "/healthz");
    private static final List<String> DISCOVERY =
            List.of("/api", "/apis", "/openapi", "/livez", "/readyz", "/healthz", "/version");
    private static final Set<String> READ = Set.of("get", "list", "watch");
    private static final Set<String> RECORD = Set.of("create", "patch", "update");
    private static final Set<String> ALL = Set.of("*");

    /** Verbs on resources: {@code group/resource}, the group empty for core; a star is any. */
    private record Rule(Set<String> verbs, Set<String> resources) {
        boolean allows(String verb, String resource) {
            return (verbs.contains("*") || verbs.contains(verb))
                    && (resources.contains("*") || resources.contains(resource));
        }
    }

    /** What Kubernetes calls system:node-proxier. */
    private static final List<Rule> NODE_PROXIER = List.of(
            new Rule(
                    READ,
                    Set.of(
                            "/services",
                            "/endpoints",
                            "/nodes",
                            "discovery.k8s.io/endpointslices",
                            "networking.k8s.io/servicecidrs")),
            new Rule(RECORD, Set.of("/events", "events.k8s.io/events")));

    private static final Map<String, List<Rule>> COMPONENTS = Map.of(
            "system:kube-proxy",
            NODE_PROXIER,
            // Whom kube-proxy's usual manifests run as.
            "system:serviceaccount:kube-system:kube-proxy",
            NODE_PROXIER,
            "system:kube-controller-manager",
            List.of(new Rule(ALL, Set.of("*"))),
            "system:kube-scheduler",
            List.of(
                    new Rule(READ, Set.of("*")),
                    new Rule(Set.of("create"), Set.of("/pods/binding")),
                    new Rule(RECORD, Set.of("/pods/status", "/events", "events.k8s.io/events")),
                    new Rule(
                            Set.of("create", "get", "update", "patch"),
                            Set.of("coordination.k8s.io/leases"))));

    public boolean allows(Identity who, Attributes wanted) {
        return who.isIn(Identity.MASTERS)
                || switch (wanted) {
                    case OfPath path -> allowsPath(who, path);
                    case OfResource resource -> allowsResource(who, resource);
                };
    }

    private static boolean allowsPath(Identity who, OfPath wanted) {
        if (!wanted.verb().equals("get")) {
            return false;
        }
        return who.isIn(Identity.AUTHENTICATED)
                ? DISCOVERY.stream().anyMatch(root -> isBelow(wanted.path(), root))
                : isHealth(wanted.path());
    }

    private static boolean allowsResource(Identity who, OfResource wanted) {
        String resource = wanted.resource().group() + '/' + wanted.resourceText();
        return COMPONENTS.getOrDefault(who.user(), List.of()).stream()
                .anyMatch(rule -> rule.allows(wanted.verb(), resource));
    }

    /** What may be seen without saying who one is. */
    public static boolean isHealth(String path) {
        return HEALTH.stream().anyMatch(root -> isBelow(path, root));
    }

    private static boolean isBelow(String path, String root) {
        return path.equals(root) || path.startsWith(root + '/');
    }

    /** Why not, in the words clients know. */
    public static String refusal(Identity who, Attributes wanted) {
        String start = "User \"" + who.user() + "\" cannot " + wanted.verb();
        return switch (wanted) {
            case OfPath path -> start + " path \"" + path.path() + '"';
            case OfResource resource ->
                start + " resource \"" + resource.resourceText() + "\" in API group \""
                        + resource.resource().group() + '"'
                        + (resource.namespace().isEmpty()
                                ? " at the cluster scope"
                                : " in the namespace \"" + resource.namespace() + '"');
        };
    }
}
