package io.sluice.apiserver.discovery;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;

/** Named checks behind one health address, in the form Kubernetes prints them. Pure, but for the checks. */
public final class HealthChecks {
    private final String name;
    private final Map<String, Supplier<Optional<String>>> checks = new LinkedHashMap<>();

    /** @param name of the address: {@code livez} */
    public HealthChecks(String name) {
        this.name = name;
    }

    /** @param check what is wrong; empty: nothing. Must be quick */
    public HealthChecks with(String check, Supplier<Optional<String>> finding) {
        checks.put(check, finding);
        return this;
    }

    /** An answer. */
    public record Answer(int code, String text) {}

    public String name() {
        return name;
    }

    /** @param excluded checks that do not count */
    public Answer all(boolean verbose, List<String> excluded) {
        Set<String> unknown = new HashSet<>(excluded);
        List<String> lines = new ArrayList<>();
        boolean healthy = true;
        for (Map.Entry<String, Supplier<Optional<String>>> check : checks.entrySet()) {
            if (unknown.remove(check.getKey()) || excluded.contains(check.getKey())) {
                lines.add("[+]" + check.getKey() + " excluded: ok");
                continue;
            }
            Optional<String> finding = check.getValue().get();
            healthy &= finding.isEmpty();
            lines.add(finding.map(text -> "[-]" + check.getKey() + " failed: " + text)
                    .orElse("[+]" + check.getKey() + " ok"));
        }
        if (!unknown.isEmpty()) {
            lines.add("warn: some health checks cannot be excluded: no matches for "
                    + String.join(", ", unknown));
        }
        lines.add(name + (healthy ? " check passed" : " check failed"));
        if (healthy && !verbose) {
            return new Answer(200, "ok");
        }
        return new Answer(healthy ? 200 : 500, String.join("\n", lines) + '\n');
    }

    /** One check by name; empty for an unknown one. */
    public Optional<Answer> one(String check) {
        return Optional.ofNullable(checks.get(check))
                .map(finding -> finding.get()
                        .map(text -> new Answer(500, "internal server error: " + text + '\n'))
                        .orElse(new Answer(200, "ok")));
    }
}
