package io.sluice.apiserver.kinds;

import io.sluice.api.object.Yaml;
import io.sluice.apiserver.Golden;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import java.util.List;

/** What an object looks like once it is created. */
final class DefaultsGoldenTest {

    static List<String> inputs() {
        return Golden.inputs("defaults");
    }

    @ParameterizedTest
    @MethodSource("inputs")
    void createdObjects(String name) {
        KindRun run = name.startsWith("dual-") ? KindRun.dualStack() : KindRun.singleStack();
        String stored = Yaml.write(run.create(Golden.read("defaults/" + name + ".in.yaml")));
        Golden.check("defaults/" + name + ".out.yaml", stored);
    }
}
