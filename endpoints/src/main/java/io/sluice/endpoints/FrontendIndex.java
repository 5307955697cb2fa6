package io.sluice.endpoints;

import io.sluice.endpoints.ProxyDelta.Change;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Collectors;

/**
 * Which Service port owns each frontend. Where several claim one, the kind decides (a cluster IP is never taken over by somebody's
 * external IP), then the name; so every node decides alike. State, owned by the thread that applies deltas.
 */
public final class FrontendIndex {
    private static final Comparator<Claim> ORDER = Comparator.comparing(
                    (Claim claim) -> claim.frontend().kind())
            .thenComparing(claim -> claim.port().name());
    private static final int MOST_NAMED = 5;

    /** Claims of one frontend, the owner's first. */
    private final Map<Frontend.Key, List<Claim>> claims = new HashMap<>();

    /** A Service port that wants a frontend. */
    public record Claim(Frontend frontend, ServicePortImage port) {}

    /** A frontend whose owner, or whose owner's image, differs now. */
    public record OwnerChange(Frontend.Key key, Optional<Claim> after) {}

    /**
     * Takes a delta in.
     *
     * @param conflicts learns, once, of each frontend that more than one Service port claims from now on, and again when its owner
     *     changes
     * @return frontends that differ, with their owner now
     */
    public List<OwnerChange> apply(ProxyDelta delta, Consumer<String> conflicts) {
        Map<Frontend.Key, Optional<Claim>> touched = new LinkedHashMap<>();
        Set<Frontend.Key> gained = new HashSet<>();
        for (Change change : delta.changes()) {
            Set<Frontend> had = new HashSet<>();
            change.before()
                    .ifPresent(port -> Frontends.of(port).forEach(frontend -> {
                        touched.computeIfAbsent(frontend.key(), this::owner);
                        withdraw(frontend.key(), change.name());
                        had.add(frontend);
                    }));
            change.after()
                    .ifPresent(port -> Frontends.of(port).forEach(frontend -> {
                        touched.computeIfAbsent(frontend.key(), this::owner);
                        boolean claimed = claim(new Claim(frontend, port));
                        if (claimed && !had.contains(frontend)) {
                            gained.add(frontend.key());
                        }
                    }));
        }
        List<OwnerChange> out = new ArrayList<>(touched.size());
        touched.forEach((key, before) -> {
            Optional<Claim> after = owner(key);
            if (!same(before, after)) {
                out.add(new OwnerChange(key, after));
            }
            if (gained.contains(key) || !sameOwner(before, after)) {
                reportConflict(key, conflicts);
            }
        });
        return out;
    }

    /** A claim is made anew whenever its port's image changes, so identity tells. */
    private static boolean same(Optional<Claim> a, Optional<Claim> b) {
        return a.orElse(null) == b.orElse(null);
    }

    private static boolean sameOwner(Optional<Claim> a, Optional<Claim> b) {
        return a.map(claim -> claim.port().name())
                .equals(b.map(claim -> claim.port().name()));
    }

    private void withdraw(Frontend.Key key, ServicePortName name) {
        claims.computeIfPresent(key, (same, claimants) -> {
            List<Claim> left = claimants.stream()
                    .filter(claim -> !claim.port().name().equals(name))
                    .toList();
            return left.isEmpty() ? null : left;
        });
    }

    /** @return false where this port has the frontend already, as another kind */
    private boolean claim(Claim claim) {
        List<Claim> claimants = claims.getOrDefault(claim.frontend().key(), List.of());
        if (claimants.isEmpty()) {
            claims.put(claim.frontend().key(), List.of(claim));
            return true;
        }
        ServicePortName name = claim.port().name();
        if (claimants.stream().anyMatch(other -> other.port().name().equals(name))) {
            return false;
        }
        List<Claim> more = new ArrayList<>(claimants);
        more.add(claim);
        more.sort(ORDER);
        claims.put(claim.frontend().key(), List.copyOf(more));
        return true;
    }

    private void reportConflict(Frontend.Key key, Consumer<String> conflicts) {
        List<Claim> claimants = claims.getOrDefault(key, List.of());
        if (claimants.size() < 2) {
            return;
        }
        Claim owner = claimants.getFirst();
        String losers = claimants.stream()
                .skip(1)
                .limit(MOST_NAMED)
                .map(claim ->
                        claim.port().name() + " (" + claim.frontend().kind().text() + ')')
                .collect(Collectors.joining(", "));
        int more = claimants.size() - 1 - MOST_NAMED;
        conflicts.accept(key + " is claimed by several Services: "
                + owner.port().name() + " (" + owner.frontend().kind().text() + ") has it; "
                + losers + (more > 0 ? " and " + more + " more" : "")
                + " get no traffic there until it gives it up");
    }

    public Optional<Claim> owner(Frontend.Key key) {
        List<Claim> claimants = claims.get(key);
        return claimants == null ? Optional.empty() : Optional.of(claimants.getFirst());
    }
}
