package io.sluice.apiserver.patch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.node.ObjectNode;

import io.sluice.api.object.Yaml;
import io.sluice.apiserver.schema.Schema.Struct;
import io.sluice.apiserver.schema.SchemaLibrary;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What each directive does to each form of list and object. */
final class StrategicMergePatchTest {
    private static final Struct POD = SchemaLibrary.shared().struct("core-v1", "Pod");

    @ParameterizedTest(name = "{0}")
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '\0',
            value = {
                "objects merge | {metadata: {labels: {a: x}}} | {metadata: {labels: {b: z}}} | {metadata: {labels: {a: x, b: z}}}",
                "null deletes | {metadata: {labels: {a: x, b: z}}} | {metadata: {labels: {a: null, c: null}}} | {metadata: {labels: {b: z}}}",
                "keyed lists merge | {spec: {containers: [{name: a, image: x}, {name: b}]}} | {spec: {containers: [{name: b, image: z}]}} | {spec: {containers: [{name: a, image: x}, {name: b, image: z}]}}",
                "new items go last | {spec: {containers: [{name: a}]}} | {spec: {containers: [{name: c}]}} | {spec: {containers: [{name: a}, {name: c}]}}",
                "delete an item | {spec: {containers: [{name: a}, {name: b}]}} | {spec: {containers: [{name: a, $patch: delete}]}} | {spec: {containers: [{name: b}]}}",
                "delete what is not there | {spec: {nodeName: n}} | {spec: {containers: [{name: a, $patch: delete}]}} | {spec: {nodeName: n, containers: []}}",
                "replace a keyed list | {spec: {containers: [{name: a}, {name: b}]}} | {spec: {containers: [{name: c}, {$patch: replace}]}} | {spec: {containers: [{name: c}]}}",
                "replace an object | {spec: {nodeSelector: {a: x}, nodeName: n}} | {spec: {$patch: replace, nodeName: m}} | {spec: {nodeName: m}}",
                "delete an object | {spec: {nodeName: n}, metadata: {name: p}} | {spec: {$patch: delete}} | {spec: {}, metadata: {name: p}}",
                "merge said aloud | {spec: {nodeName: n}} | {spec: {$patch: merge, hostname: h}} | {spec: {nodeName: n, hostname: h}}",
                "atomic lists replace | {spec: {tolerations: [{key: a}]}} | {spec: {tolerations: [{key: b}]}} | {spec: {tolerations: [{key: b}]}}",
                "plain values join | {metadata: {finalizers: [a, b]}} | {metadata: {finalizers: [b, c]}} | {metadata: {finalizers: [a, b, c]}}",
                "plain values leave | {metadata: {finalizers: [a, b, c]}} | {metadata: {$deleteFromPrimitiveList/finalizers: [b]}} | {metadata: {finalizers: [a, c]}}",
                "plain values leave and join | {metadata: {finalizers: [a, b]}} | {metadata: {$deleteFromPrimitiveList/finalizers: [a], finalizers: [d]}} | {metadata: {finalizers: [b, d]}}",
                "order alone | {spec: {containers: [{name: a}, {name: b}, {name: c}]}} | {spec: {$setElementOrder/containers: [{name: c}, {name: a}]}} | {spec: {containers: [{name: b}, {name: c}, {name: a}]}}",
                "order with a new item | {spec: {containers: [{name: a}, {name: b}]}} | {spec: {$setElementOrder/containers: [{name: new}, {name: a}, {name: b}], containers: [{name: new, image: i}]}} | {spec: {containers: [{name: new, image: i}, {name: a}, {name: b}]}}",
                "order of plain values | {metadata: {finalizers: [a, b, c]}} | {metadata: {$setElementOrder/finalizers: [c, a, b]}} | {metadata: {finalizers: [c, a, b]}}",
                "retain keys | {spec: {volumes: [{name: v, emptyDir: {}}]}} | {spec: {volumes: [{name: v, $retainKeys: [name, hostPath], hostPath: {path: /p}}]}} | {spec: {volumes: [{name: v, hostPath: {path: /p}}]}}",
                "into nothing | {} | {spec: {containers: [{name: a, image: null, env: [{name: e, value: x}]}]}} | {spec: {containers: [{name: a, env: [{name: e, value: x}]}]}}",
                "nested lists | {spec: {containers: [{name: a, env: [{name: e, value: x}, {name: f}]}]}} | {spec: {containers: [{name: a, env: [{name: e, value: z}]}]}} | {spec: {containers: [{name: a, env: [{name: e, value: z}, {name: f}]}]}}",
                "unknown fields as plain JSON | {extra: {a: [1]}} | {extra: {a: [2]}} | {extra: {a: [2]}}",
            })
    void examples(String name, String target, String patch, String result) throws Exception {
        ObjectNode before = Yaml.parseObject(target);
        assertThat(StrategicMergePatch.apply(before, Yaml.parseObject(patch), POD))
                .as(name)
                .isEqualTo(Yaml.parseObject(result));
        assertThat(before).as("the target stays as it was").isEqualTo(Yaml.parseObject(target));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '\0',
            value = {
                "{spec: {$patch: fly}} | Unknown patch type",
                "{spec: {containers: [{image: x}]}} | does not contain declared merge key: name",
                "{spec: {containers: [{name: a}], $setElementOrder/containers: [{name: b}]}} | doesn't match $setElementOrder/containers",
                "{spec: {containers: [{name: a}, {name: b}], $setElementOrder/containers: [{name: b}, {name: a}]}} | doesn't match",
                "{spec: {$retainKeys: [a], nodeName: n}} | doesn't match retainKeys list",
                "{metadata: {$deleteFromPrimitiveList/finalizers: a}} | must be a list",
            })
    void refusals(String patch, String message) throws Exception {
        ObjectNode change = Yaml.parseObject(patch);
        ObjectNode target = Yaml.parseObject("{spec: {containers: [{name: a}]}}");
        assertThatThrownBy(() -> StrategicMergePatch.apply(target, change, POD))
                .isInstanceOf(PatchException.class)
                .hasMessageContaining(message.strip());
    }
}
