package io.sluice.api.selector;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.api.object.Json;
import io.sluice.api.object.KubeObject;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.List;
import java.util.Map;

class LabelSelectorTest {

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "''                       | {}                       | true",
                "' '                      | {'x':'y'}                | true",
                "x=y                      | {'x':'y'}                | true",
                "x==y                     | {'x':'y'}                | true",
                "x=y                      | {'x':'z'}                | false",
                "x=y                      | {}                       | false",
                "x=                       | {'x':''}                 | true",
                "x=                       | {}                       | false",
                "x!=y                     | {'x':'z'}                | true",
                "x!=y                     | {}                       | true",
                "x!=y                     | {'x':'y'}                | false",
                "x!=                      | {'x':''}                 | false",
                "x in (a,b)               | {'x':'b'}                | true",
                "x in (a,b)               | {'x':'c'}                | false",
                "x in (a,b)               | {}                       | false",
                "x in ()                  | {'x':''}                 | true",
                "x in (a,)                | {'x':''}                 | true",
                "x notin (a,b)            | {'x':'c'}                | true",
                "x notin (a,b)            | {}                       | true",
                "x notin (a,b)            | {'x':'a'}                | false",
                "x                        | {'x':'anything'}         | true",
                "x                        | {}                       | false",
                "!x                       | {}                       | true",
                "! x                      | {'x':'y'}                | false",
                "x>1                      | {'x':'2'}                | true",
                "x>1                      | {'x':'1'}                | false",
                "x>1                      | {'x':'v2'}               | false",
                "x>1                      | {}                       | false",
                "x<1                      | {'x':'0'}                | true",
                "x<1                      | {'x':'-5'}               | true",
                "x<1                      | {'x':'1'}                | false",
                "x=y,z=w                  | {'x':'y','z':'w'}        | true",
                "x=y,z=w                  | {'x':'y','z':'v'}        | false",
                "' x  in\t( a , b ) , !z ' | {'x':'a'}                | true",
                "notin=in                 | {'notin':'in'}           | true",
                "in in (in)               | {'in':'in'}              | true",
                "a.b/c-d in (x)           | {'a.b/c-d':'x'}          | true",
                "0.1.2.domain/99 notin (10.10.100.1, tick.tack.clock) | {} | true",
            })
    void matches(String selector, String labels, boolean expected) throws Exception {
        Map<String, String> map = KubeObject.map(Json.parseObject(labels.replace('\'', '"')));
        LabelSelector parsed = LabelSelector.parse(selector);

        assertThat(parsed.matches(map)).isEqualTo(expected);
        assertThat(LabelSelector.parse(parsed.toString())).isEqualTo(parsed);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "x=a||y=b",
                "x==a==b",
                "!x=a",
                "x<a",
                "x>",
                "=",
                "x,",
                ",x",
                "x,,y",
                "x in",
                "x in (",
                "x in (a",
                "x in a",
                "x notin",
                "x foo (a)",
                "!",
                "!!x",
                "x!",
                "x!y",
                "x y",
                "(x)",
                "x=(a)",
                "x in (a)b",
                "x in (a b)",
                "x=a b",
                "x===a",
                "-x",
                "x=-a",
                "a/b/c",
                "x in (a),",
                "é",
                "x=é",
                "x>1.5",
                "x in (a))"
            })
    void refusesWhatIsNoSelector(String text) {
        assertThatThrownBy(() -> LabelSelector.parse(text)).isInstanceOf(SelectorException.class);
    }

    @Test
    void saysWhatIsWrong() {
        assertThatThrownBy(() -> LabelSelector.parse("x in (good,-bad)"))
                .hasMessageContaining(
                        "values[0][x]: Invalid value: \"-bad\": a valid label must be");
        assertThatThrownBy(() -> LabelSelector.parse("Bad_.com/x=1"))
                .hasMessageContaining(
                        "key: Invalid value: \"Bad_.com/x\": prefix part a lowercase RFC 1123 subdomain");
        assertThatThrownBy(() -> LabelSelector.parse("x" + "a".repeat(300)))
                .hasMessageContaining("name part must be no more than 63 characters");
        assertThatThrownBy(() -> LabelSelector.parse("x foo (a)"))
                .hasMessage(
                        "unable to parse requirement: found 'foo', expected: in, notin, =, ==, !=, gt, lt");
    }

    @Test
    void readsTheObjectForm() throws Exception {
        LabelSelector selector = LabelSelector.of(Json.parseObject("""
                {"matchLabels": {"app": "web"},
                 "matchExpressions": [
                   {"key": "tier", "operator": "In", "values": ["b", "a"]},
                   {"key": "env", "operator": "NotIn", "values": ["dev"]},
                   {"key": "live", "operator": "Exists"},
                   {"key": "old", "operator": "DoesNotExist"},
                   {"key": "size", "operator": "Gt", "values": ["3"]},
                   {"key": "age", "operator": "Lt", "values": ["9"]}]}"""));

        assertThat(selector.matches(
                        Map.of("app", "web", "tier", "a", "live", "", "size", "4", "age", "8")))
                .isTrue();
        assertThat(selector.matches(
                        Map.of("app", "web", "tier", "a", "live", "", "size", "3", "age", "8")))
                .isFalse();
        assertThat(LabelSelector.of(Json.object()).isEverything()).isTrue();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{\"key\":\"a\",\"operator\":\"In\"}",
                        "{\"key\":\"a\",\"operator\":\"NotIn\",\"values\":[]}",
                "{\"key\":\"a\",\"operator\":\"Exists\",\"values\":[\"x\"]}",
                        "{\"key\":\"a\",\"operator\":\"in\",\"values\":[\"x\"]}",
                "{\"key\":\"a\",\"operator\":\"Gt\",\"values\":[\"1\",\"2\"]}",
                        "{\"key\":\"\",\"operator\":\"Exists\"}",
                "{\"key\":\"a\",\"operator\":\"Lt\",\"values\":[\"x\"]}"
            })
    void refusesWrongExpressions(String expression) {
        assertThatThrownBy(() -> LabelSelector.of(
                        Json.parseObject("{\"matchExpressions\":[" + expression + "]}")))
                .isInstanceOf(SelectorException.class);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "''                          | ''      | ''",
                "metadata.name=a             | a       | true",
                "metadata.name==a            | a       | true",
                "metadata.name=a             | b       | false",
                "metadata.name!=a            | b       | true",
                "metadata.name!=a            | a       | false",
                "metadata.name=              | ''      | true",
                "metadata.name=a\\,b         | a,b     | true",
                "metadata.name=a\\=b         | a=b     | true",
                "metadata.name=a\\\\b        | a\\b    | true",
                "metadata.name=a,metadata.name!=b | a  | true",
                ",metadata.name=a,           | a       | true",
            })
    void matchesFields(String selector, String value, String expected) throws SelectorException {
        FieldSelector parsed = FieldSelector.parse(selector);

        assertThat(parsed.matches(field -> field.equals("metadata.name") ? value : "other"))
                .isEqualTo(!"false".equals(expected));
        assertThat(FieldSelector.parse(parsed.toString())).isEqualTo(parsed);
    }

    @ParameterizedTest
    @ValueSource(strings = {"a", "a=b=c", "a=\\x", "a=\\", "a=b\\", "a!b"})
    void refusesWhatIsNoFieldSelector(String text) {
        assertThatThrownBy(() -> FieldSelector.parse(text)).isInstanceOf(SelectorException.class);
    }

    @Test
    void keepsFieldTermsInOrder() throws SelectorException {
        assertThat(FieldSelector.parse("a=1,b!=2").terms())
                .isEqualTo(List.of(
                        new FieldSelector.Term("a", true, "1"),
                        new FieldSelector.Term("b", false, "2")));
    }
}
