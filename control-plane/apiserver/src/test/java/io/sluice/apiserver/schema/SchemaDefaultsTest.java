package io.sluice.apiserver.schema;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;

import io.sluice.api.object.Json;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** One form for each value, whatever the client wrote. */
final class SchemaDefaultsTest {

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '\0',
            value = {
                "{'status':{'capacity':{'cpu':2,'memory':'1024Mi','x':'0.5','y':'1000m'}}} | {'status':{'capacity':{'cpu':'2','memory':'1Gi','x':'500m','y':'1'}}}",
                "{'metadata':{'creationTimestamp':'2026-12-01T11:00:00.5+01:00'}} | {'metadata':{'creationTimestamp':'2026-12-01T10:00:00Z'}}",
                "{'spec':{'unschedulable':false}} | {'spec':{}}",
                "{'spec':{'unschedulable':true}} | {'spec':{'unschedulable':true}}",
            })
    void nodes(String given, String expected) throws Exception {
        ObjectNode object = Json.parseObject(given.strip().replace('\'', '"'));
        SchemaDefaults.apply(object, SchemaLibrary.shared().struct("core-v1", "Node"));
        assertThat(object).isEqualTo(Json.parseObject(expected.strip().replace('\'', '"')));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '\0',
            value = {
                "{'spec':{'renewTime':'2026-12-01T11:00:00Z'}} | {'spec':{'renewTime':'2026-12-01T11:00:00.000000Z'}}",
            })
    void leases(String given, String expected) throws Exception {
        ObjectNode object = Json.parseObject(given.strip().replace('\'', '"'));
        SchemaDefaults.apply(object, SchemaLibrary.shared().struct("coordination-v1", "Lease"));
        assertThat(object).isEqualTo(Json.parseObject(expected.strip().replace('\'', '"')));
    }
}
