package io.sluice.apiserver.kinds;

import com.fasterxml.jackson.databind.node.ObjectNode;

import io.sluice.api.object.Yaml;
import io.sluice.apiserver.Golden;
import io.sluice.apiserver.patch.MergePatch;
import io.sluice.apiserver.registry.ApiException;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import java.util.List;

/**
 * One object that changes: the first document is created, each next one is a merge patch on what is stored then; the output shows spec
 * and status, or why the change was refused.
 */
final class ChangesGoldenTest {

    static List<String> inputs() {
        return Golden.inputs("changes");
    }

    @ParameterizedTest
    @MethodSource("inputs")
    void steps(String name) {
        KindRun run = name.startsWith("dual-") ? KindRun.dualStack() : KindRun.singleStack();
        String[] documents = Golden.read("changes/" + name + ".in.yaml").split("(?m)^---\n");
        ObjectNode stored = run.create(documents[0]);
        StringBuilder out = new StringBuilder(shown(stored));
        for (int i = 1; i < documents.length; i++) {
            out.append("---\n")
                    .append(documents[i].lines().findFirst().orElse(""))
                    .append('\n');
            try {
                stored = run.update(MergePatch.apply(stored, KindRun.yaml(documents[i])), stored);
                out.append(shown(stored));
            } catch (ApiException e) {
                out.append(RefusalsGoldenTest.describe(e));
            }
        }
        Golden.check("changes/" + name + ".out.txt", out.toString());
    }

    private static String shown(ObjectNode object) {
        ObjectNode copy = object.deepCopy();
        copy.remove(List.of("apiVersion", "kind"));
        ((ObjectNode) copy.path("metadata")).remove(List.of("name", "namespace"));
        return Yaml.write(copy);
    }
}
