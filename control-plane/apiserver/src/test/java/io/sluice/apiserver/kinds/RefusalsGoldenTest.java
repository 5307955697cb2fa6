package io.sluice.apiserver.kinds;

import com.fasterxml.jackson.databind.node.ObjectNode;

import io.sluice.apiserver.Golden;
import io.sluice.apiserver.registry.ApiException;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import java.util.List;

/** Bad objects, many to a file, with every cause of their refusal. */
final class RefusalsGoldenTest {

    static List<String> inputs() {
        return Golden.inputs("refusals");
    }

    @ParameterizedTest
    @MethodSource("inputs")
    void causes(String name) {
        KindRun run = name.startsWith("dual-") ? KindRun.dualStack() : KindRun.singleStack();
        StringBuilder out = new StringBuilder();
        for (String document : Golden.read("refusals/" + name + ".in.yaml").split("(?m)^---\n")) {
            ObjectNode object = KindRun.yaml(document);
            out.append("# ")
                    .append(object.path("metadata").path("name").asText())
                    .append('\n');
            out.append(causes(run, object));
        }
        Golden.check("refusals/" + name + ".out.txt", out.toString());
    }

    static String causes(KindRun run, ObjectNode object) {
        try {
            run.create(object);
            return "accepted\n";
        } catch (ApiException e) {
            return describe(e);
        }
    }

    static String describe(ApiException refusal) {
        StringBuilder out = new StringBuilder();
        refusal.status()
                .path("details")
                .path("causes")
                .forEach(cause -> out.append(cause.path("field").asText() + ": "
                        + cause.path("message").asText() + " ["
                        + cause.path("reason").asText() + "]\n"));
        return out.toString();
    }
}
