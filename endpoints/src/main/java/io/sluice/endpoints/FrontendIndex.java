package io.sluice.endpoints;

import io.sluice.endpoints.ProxyDelta.Change;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Consumer;

/**
 * Which Service port owns each frontend. Where several claim one, the kind decides (a cluster IP is never taken over by somebody's
 * external IP), then the name; so every node decides alike. State, owned by the thread that applies deltas.
 */
public final class FrontendIndex {
    private static final Comparator<Claim> ORDER = Comparator.comparing(
                    (Claim claim) -> claim.frontend().kind())
            .thenComparing(claim -> claim.port().name());

    private final Map<Frontend.Key, TreeMap<ServicePortName, Claim>> claims = new HashMap<>();

    /** A Service port that wants a frontend. */
    public record Claim(Frontend frontend, ServicePortImage port) {}

    /** A frontend whose owner, or whose owner's image, differs now. */
    public record OwnerChange(Frontend.Key key, Optional<Claim> after) {}

    /**
     * Takes a delta in.
     *
     * @param conflicts learns of frontends that more than one Service claims
     * @return frontends that differ, with their owner now
     */
    public List<OwnerChange> apply(ProxyDelta delta, Consumer<String> conflicts) {
        Set<Frontend.Key> touched = new LinkedHashSet<>();
        for (Change change : delta.changes()) {
            change.before()
                    .ifPresent(port -> Frontends.of(port).forEach(frontend -> {
                        withdraw(frontend.key(), change.name());
                        touched.add(frontend.key());
                    }));
            change.after()
                    .ifPresent(port -> Frontends.of(port).forEach(frontend -> {
                        claims.computeIfAbsent(frontend.key(), key -> new TreeMap<>())
                                .putIfAbsent(change.name(), new Claim(frontend, port));
                        touched.add(frontend.key());
                    }));
        }
        List<OwnerChange> out = new ArrayList<>(touched.size());
        for (Frontend.Key key : touched) {
            Optional<Claim> owner = owner(key);
            out.add(new OwnerChange(key, owner));
            reportConflict(key, conflicts);
        }
        return out;
    }

    private void withdraw(Frontend.Key key, ServicePortName name) {
        TreeMap<ServicePortName, Claim> claimants = claims.get(key);
        if (claimants != null) {
            claimants.remove(name);
            if (claimants.isEmpty()) {
                claims.remove(key);
            }
        }
    }

    private void reportConflict(Frontend.Key key, Consumer<String> conflicts) {
        TreeMap<ServicePortName, Claim> claimants = claims.get(key);
        if (claimants == null || claimants.size() < 2) {
            return;
        }
        Claim owner = claimants.values().stream().min(ORDER).orElseThrow();
        claimants.values().stream()
                .filter(claim -> claim != owner)
                .forEach(claim ->
                        conflicts.accept("Service " + claim.port().name() + ": " + claim.frontend()
                                + " is taken by Service " + owner.port().name() + " ("
                                + owner.frontend().kind().text()
                                + "); it gets no traffic there until one of them gives it up"));
    }

    public Optional<Claim> owner(Frontend.Key key) {
        TreeMap<ServicePortName, Claim> claimants = claims.get(key);
        return claimants == null
                ? Optional.empty()
                : claimants.values().stream().min(ORDER);
    }
}
