package io.sluice.apiserver.patch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

import io.sluice.api.object.Json;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The examples of RFC 6902, appendix A, and the limits. */
final class JsonPatchTest {

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '\0',
            value = {
                "{'foo':'bar'} | [{'op':'add','path':'/baz','value':'qux'}] | {'foo':'bar','baz':'qux'}",
                "{'foo':['bar','baz']} | [{'op':'add','path':'/foo/1','value':'qux'}] | {'foo':['bar','qux','baz']}",
                "{'baz':'qux','foo':'bar'} | [{'op':'remove','path':'/baz'}] | {'foo':'bar'}",
                "{'foo':['bar','qux','baz']} | [{'op':'remove','path':'/foo/1'}] | {'foo':['bar','baz']}",
                "{'baz':'qux','foo':'bar'} | [{'op':'replace','path':'/baz','value':'boo'}] | {'baz':'boo','foo':'bar'}",
                "{'foo':{'bar':'baz','waldo':'fred'},'qux':{'corge':'grault'}} | [{'op':'move','from':'/foo/waldo','path':'/qux/thud'}] | {'foo':{'bar':'baz'},'qux':{'corge':'grault','thud':'fred'}}",
                "{'foo':['all','grass','cows','eat']} | [{'op':'move','from':'/foo/1','path':'/foo/3'}] | {'foo':['all','cows','eat','grass']}",
                "{'baz':'qux','foo':['a',2,'c']} | [{'op':'test','path':'/baz','value':'qux'},{'op':'test','path':'/foo/1','value':2}] | {'baz':'qux','foo':['a',2,'c']}",
                "{'foo':'bar'} | [{'op':'add','path':'/child','value':{'grandchild':{}}}] | {'foo':'bar','child':{'grandchild':{}}}",
                "{'foo':'bar'} | [{'op':'add','path':'/baz','value':'qux','xyz':123}] | {'foo':'bar','baz':'qux'}",
                "{'/':9,'~1':10} | [{'op':'test','path':'/~01','value':10}] | {'/':9,'~1':10}",
                "{'foo':['bar']} | [{'op':'add','path':'/foo/-','value':['abc','def']}] | {'foo':['bar',['abc','def']]}",
                "{'a':{'b':1}} | [{'op':'copy','from':'/a','path':'/c'},{'op':'replace','path':'/c/b','value':2}] | {'a':{'b':1},'c':{'b':2}}",
                "{'a':1} | [{'op':'test','path':'/a','value':1.0}] | {'a':1}",
                "{} | [{'op':'test','path':'/gone','value':null}] | {}",
            })
    void examples(String target, String patch, String result) throws Exception {
        JsonNode before = json(target);
        assertThat(JsonPatch.applyValue(before, json(patch))).isEqualTo(json(result));
        assertThat(before).as("the target stays as it was").isEqualTo(json(target));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '\0',
            value = {
                "{'baz':'qux'} | [{'op':'test','path':'/baz','value':'bar'}] | 422 | testing value /baz failed",
                "{'/':9} | [{'op':'test','path':'/~1','value':'9'}] | 422 | testing value",
                "{'foo':'bar'} | [{'op':'add','path':'/baz/bat','value':'qux'}] | 422 | doc is missing path: \"/baz/bat\"",
                "{'a':[1]} | [{'op':'add','path':'/a/2','value':1}] | 422 | invalid index: 2",
                "{'a':[1]} | [{'op':'add','path':'/a/01','value':1}] | 422 | invalid index: 01",
                "{} | [{'op':'remove','path':'/a'}] | 422 | remove operation does not apply",
                "{} | [{'op':'replace','path':'/a','value':1}] | 422 | replace operation does not apply",
                "{'a':{}} | [{'op':'move','from':'/a','path':'/a/b'}] | 422 | cannot be moved into itself",
                "{} | [{'op':'fly','path':'/a'}] | 400 | Unexpected kind: \"fly\"",
                "{} | [{'op':'add','path':'a','value':1}] | 400 | must start with '/'",
                "{} | [{'op':'add','path':'/a'}] | 400 | has no \"value\"",
                "{} | {'op':'add'} | 400 | expected an array",
                "{} | [{'op':'add','path':'','value':[]}] | 422 | the result is no object",
            })
    void refusals(String target, String patch, int code, String message) throws Exception {
        JsonNode before = json(target);
        JsonNode change = json(patch);
        assertThatThrownBy(() -> JsonPatch.apply((ObjectNode) before, change))
                .isInstanceOfSatisfying(
                        PatchException.class,
                        refusal -> assertThat(refusal.code()).isEqualTo(code))
                .hasMessageContaining(message.strip());
    }

    @Test
    void tooManyOperations() {
        ArrayNode patch = Json.MAPPER.createArrayNode();
        for (int i = 0; i <= JsonPatch.MAX_OPERATIONS; i++) {
            patch.addObject().put("op", "test").put("path", "/a").putNull("value");
        }
        assertThatThrownBy(() -> JsonPatch.apply(Json.object(), patch))
                .isInstanceOfSatisfying(
                        PatchException.class,
                        refusal -> assertThat(refusal.code()).isEqualTo(413));
    }

    @Test
    void copiesThatDoubleAreStopped() throws Exception {
        ArrayNode patch = Json.MAPPER.createArrayNode();
        for (int i = 0; i < 40; i++) {
            patch.addObject()
                    .put("op", "copy")
                    .put("from", "/a")
                    .put("path", "/a/" + (i == 0 ? "x" : "y" + i));
        }
        var target = Json.parseObject("{\"a\":{\"text\":\"0123456789\"}}");
        assertThatThrownBy(() -> JsonPatch.apply(target, patch))
                .isInstanceOf(PatchException.class)
                .hasMessageContaining("exceeding the limit");
    }

    private static JsonNode json(String text) throws JsonProcessingException {
        return Json.MAPPER.readTree(text.strip().replace('\'', '"'));
    }
}
