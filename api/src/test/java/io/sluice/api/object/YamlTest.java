package io.sluice.api.object;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

import io.sluice.api.Seeds;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

class YamlTest {

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "text           | \"text\"",
                "'yes'          | \"yes\"",
                "\"no\"         | \"no\"",
                "yes            | true",
                "On             | true",
                "TRUE           | true",
                "y | true",
                "no             | false",
                "OFF            | false",
                "false          | false",
                "N | false",
                "nO             | \"nO\"",
                "~              | null",
                "null           | null",
                "`` | null",
                "0              | 0",
                "-7             | -7",
                "+7             | 7",
                "1_000 | 1000",
                "0644           | 420",
                "0o17           | 15",
                "0x1F           | 31",
                "-0x1f | -31",
                "0899           | \"0899\"",
                "1.5            | 1.5",
                "1e3            | 1E+3",
                ".5 | 0.5",
                "1.2.3          | \"1.2.3\"",
                "10.0.0.1       | \"10.0.0.1\"",
                "1e999999999  | \"1e999999999\"",
                "18446744073709551615 | 18446744073709551615",
                "2026-12-01     | \"2026-12-01\"",
                "1:30 | \"1:30\"",
                "!!str 123      | \"123\"",
                "!!str true     | \"true\"",
                "a: b           | {\"a\":\"b\"}",
                "[1, a, {b: c}] | [1,\"a\",{\"b\":\"c\"}]",
                "{}             | {}",
                "[]             | []",
            })
    void readsScalarsAsKubectl(String yaml, String json) throws IOException {
        String text = "v:" + (yaml.contains(": b") ? "\n  " : " ") + yaml;
        assertThat(Yaml.parseObject(text).get("v").toString()).isEqualTo(json);
    }

    @Test
    void readsWhatPeopleWrite() throws IOException {
        ObjectNode tree = Yaml.parseObject("""
                # a comment
                base: &base {image: nginx, port: 80}
                web:
                  <<: *base
                  port: 8080
                script: |
                  line 1
                  line 2
                folded: >-
                  one
                  two
                on: off
                80: http
                """);

        assertThat(tree.toString())
                .isEqualTo(("{'base':{'image':'nginx','port':80},"
                                + "'web':{'port':8080,'image':'nginx'},'script':'line 1\\nline 2\\n','folded':'one two',"
                                + "'on':false,'80':'http'}")
                        .replace('\'', '"'));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "text",
                "- a",
                "a: b: c",
                "a: [",
                "a: *missing",
                "{a: b",
                "a: 1\na: 2",
                "? [x]\n: y",
                "a: 1\n---\nb: 2",
                "\t- a",
                "a: \"\\x\"",
                "a: &r [*r]",
                "a: \u0001"
            })
    void refusesWithAReason(String text) {
        assertThatThrownBy(() -> Yaml.parseObject(text))
                .isInstanceOf(YamlException.class)
                .extracting(Throwable::getMessage)
                .asString()
                .isNotBlank();
    }

    @Test
    void saysWhereAKeyIsGivenTwice() {
        assertThatThrownBy(() -> Yaml.parseObject("a:\n  b: 1\n  b: 2\n"))
                .hasMessage("key \"a.b\" is given twice at line 3, column 3");
    }

    @Test
    void canTakeKeysGivenTwiceAndReportThem() throws IOException {
        List<String> duplicates = new ArrayList<>();
        ObjectNode tree = Yaml.parseObject("a:\n  b: 1\n  b: 2\n", duplicates::add);

        assertThat(tree.toString()).isEqualTo("{\"a\":{\"b\":2}}");
        assertThat(duplicates).containsExactly("a.b");
    }

    @Test
    void refusesBombs() {
        StringBuilder laughs = new StringBuilder("a0: &a0 [x,x,x,x,x,x,x,x,x]\n");
        for (int i = 1; i < 12; i++) {
            laughs.append("a%d: &a%d [%s]\n".formatted(i, i, ("*a" + (i - 1) + ",").repeat(9)));
        }
        assertThatThrownBy(() -> Yaml.parseObject(laughs.toString()))
                .isInstanceOf(YamlException.class)
                .hasMessageContaining("500000");
        assertThatThrownBy(() -> Yaml.parseObject("a: " + "[".repeat(100_000)))
                .isInstanceOf(YamlException.class);
        assertThatThrownBy(() -> Yaml.parseObject("a: " + "[".repeat(300) + "]".repeat(300)))
                .isInstanceOf(YamlException.class)
                .hasMessageContaining("nested");
        assertThatThrownBy(() -> Yaml.parseObject("a: " + "x".repeat(5_000_000)))
                .isInstanceOf(YamlException.class);
    }

    @Test
    void writesForPeople() throws IOException {
        ObjectNode tree = Json.parseObject("""
                {"apiVersion": "v1", "metadata": {"name": "web", "labels": {}, "annotations": {"yes": "no", "n": "1"}},
                 "list": [{"a": 1, "b": [2, [3]]}, "x: y", []], "empty": "", "null": null, "on": true}""");

        assertThat(Yaml.write(tree)).isEqualTo("""
                apiVersion: v1
                metadata:
                  name: web
                  labels: {}
                  annotations:
                    "yes": "no"
                    "n": "1"
                list:
                - a: 1
                  b:
                  - 2
                  - - 3
                - "x: y"
                - []
                empty: ""
                "null": null
                "on": true
                """);
    }

    @Test
    void anyTreeSurvivesText() {
        Seeds.run(300, random -> {
            ObjectNode tree = Json.object();
            tree.set("root", node(random, 0));
            String text = Yaml.write(tree);
            try {
                assertThat(Yaml.parseObject(text)).as(text).isEqualTo(tree);
            } catch (IOException e) {
                throw new AssertionError(text, e);
            }
        });
    }

    private static JsonNode node(Random random, int depth) {
        return switch (random.nextInt(depth > 4 ? 5 : 8)) {
            case 0, 1 -> Json.object().textNode(text(random));
            case 2 -> Json.object().numberNode((long) random.nextInt());
            case 3 -> Json.object().booleanNode(random.nextBoolean());
            case 4 -> Json.object().nullNode();
            case 5 -> {
                var array = Json.object().arrayNode();
                for (int i = random.nextInt(4); i > 0; i--) {
                    array.add(node(random, depth + 1));
                }
                yield array;
            }
            default -> {
                ObjectNode object = Json.object();
                for (int i = random.nextInt(4); i > 0; i--) {
                    String key = text(random);
                    object.set(key.equals("<<") ? "k" : key, node(random, depth + 1));
                }
                yield object;
            }
        };
    }

    private static String text(Random random) {
        String[] traps = {
            "",
            " ",
            "a",
            "a b",
            " a",
            "a ",
            "yes",
            "Null",
            "~",
            "1",
            "0x1",
            "1e3",
            "- a",
            "a: b",
            "a #b",
            "#a",
            "&a",
            "*a",
            "!a",
            "|",
            ">",
            "%",
            "@",
            "`",
            "'",
            "\"",
            "\\",
            "a\nb",
            "a\n",
            "\t",
            "\u0000",
            "\u007f",
            "\u0085",
            "\u2028",
            "\ufeff",
            "é",
            "漢",
            "😀",
            "{a}",
            "[a]",
            "a,b",
            "?",
            "? a",
            ":",
            "a:",
            "-",
            "--- a",
            "...",
            "2026-12-01",
            "_",
            "/etc/x",
            "a -b",
            "<<",
            "=",
            "0o7",
            "08",
            "+1",
            ".5",
            "-.inf",
            ".nan",
            "a\u0007b",
            "\ufffe"
        };
        return traps[random.nextInt(traps.length)];
    }
}
