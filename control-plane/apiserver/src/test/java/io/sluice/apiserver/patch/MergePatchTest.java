package io.sluice.apiserver.patch;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;

import io.sluice.api.object.Json;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The table of RFC 7386, appendix A. */
final class MergePatchTest {

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '\0',
            value = {
                "{'a':'b'} | {'a':'c'} | {'a':'c'}",
                "{'a':'b'} | {'b':'c'} | {'a':'b','b':'c'}",
                "{'a':'b'} | {'a':null} | {}",
                "{'a':'b','b':'c'} | {'a':null} | {'b':'c'}",
                "{'a':['b']} | {'a':'c'} | {'a':'c'}",
                "{'a':'c'} | {'a':['b']} | {'a':['b']}",
                "{'a':{'b':'c'}} | {'a':{'b':'d','c':null}} | {'a':{'b':'d'}}",
                "{'a':[{'b':'c'}]} | {'a':[1]} | {'a':[1]}",
                "['a','b'] | ['c','d'] | ['c','d']",
                "{'a':'b'} | ['c'] | ['c']",
                "{'a':'foo'} | null | null",
                "{'a':'foo'} | 'bar' | 'bar'",
                "{'e':null} | {'a':1} | {'e':null,'a':1}",
                "[1,2] | {'a':'b','c':null} | {'a':'b'}",
                "{} | {'a':{'bb':{'ccc':null}}} | {'a':{'bb':{}}}",
            })
    void examples(String target, String patch, String result) throws JsonProcessingException {
        JsonNode before = json(target);
        assertThat(MergePatch.applyValue(before, json(patch))).isEqualTo(json(result));
        assertThat(before).as("the target stays as it was").isEqualTo(json(target));
    }

    private static JsonNode json(String text) throws JsonProcessingException {
        return Json.MAPPER.readTree(text.strip().replace('\'', '"'));
    }
}
