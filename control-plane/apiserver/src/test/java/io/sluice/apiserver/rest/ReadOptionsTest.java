package io.sluice.apiserver.rest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.api.net.Cidr;
import io.sluice.apiserver.allocator.ServiceAllocator;
import io.sluice.apiserver.kinds.BuiltinKinds;
import io.sluice.apiserver.registry.ApiException;
import io.sluice.apiserver.registry.Kind;
import io.sluice.apiserver.registry.Registry;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.util.List;
import java.util.Random;

class ReadOptionsTest {
    private static final Registry KINDS = new Registry(BuiltinKinds.all(
            new ServiceAllocator(List.of(Cidr.of("10.0.0.0/24")), 30000, 30100, new Random(1))));
    private static final Kind PODS = KINDS.require("", "v1", "pods");
    private static final Kind LEASES = KINDS.require("coordination.k8s.io", "v1", "leases");

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "resourceVersionMatch=Exact|422|ListOptions.meta.k8s.io \"\" is invalid: resourceVersionMatch: Forbidden: resourceVersionMatch is forbidden unless resourceVersion is provided",
                "resourceVersionMatch=Exact&resourceVersion=0|422|ListOptions.meta.k8s.io \"\" is invalid: resourceVersionMatch: Forbidden: resourceVersionMatch \"exact\" is forbidden for resourceVersion \"0\"",
                "resourceVersionMatch=Maybe&resourceVersion=1|422|ListOptions.meta.k8s.io \"\" is invalid: resourceVersionMatch: Unsupported value: \"Maybe\": supported values: \"\", \"Exact\", \"NotOlderThan\"",
                "sendInitialEvents=true|422|ListOptions.meta.k8s.io \"\" is invalid: sendInitialEvents: Forbidden: sendInitialEvents is forbidden for list",
                "watch=true&sendInitialEvents=true|422|ListOptions.meta.k8s.io \"\" is invalid: resourceVersionMatch: Forbidden: sendInitialEvents requires setting resourceVersionMatch to NotOlderThan",
                "watch=1&resourceVersionMatch=NotOlderThan&resourceVersion=1|422|ListOptions.meta.k8s.io \"\" is invalid: resourceVersionMatch: Forbidden: resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided",
                "resourceVersion=abc|400|resourceVersion: Invalid value: \"abc\": must be an unsigned integer",
                "resourceVersion=-1|400|resourceVersion: Invalid value: \"-1\": must be an unsigned integer",
                "limit=x|400|invalid value \"x\" for parameter \"limit\": expected an integer",
                "limit=-1|400|limit must not be negative, found -1",
                "fieldSelector=spec.foo=1|400|field label not supported: spec.foo",
                "labelSelector=a in|400|*",
                "continue=xyz|400|*",
            })
    void refuses(String query, int code, String message) {
        assertThatThrownBy(
                        () -> ReadOptions.of(PODS, "", Query.of("/x?" + query.replace(" ", "%20"))))
                .isInstanceOfSatisfying(ApiException.class, e -> {
                    assertThat(e.code()).isEqualTo(code);
                    if (!message.equals("*")) {
                        assertThat(e.getMessage()).isEqualTo(message);
                    }
                });
    }

    @Test
    void namesTheFieldsOfKindsWithoutOwnSelectors() {
        assertThatThrownBy(() -> ReadOptions.of(LEASES, "", Query.of("/x?fieldSelector=a%3Db")))
                .hasMessage("\"a\" is not a known field selector: only \"metadata.name\","
                        + " \"metadata.namespace\"");
    }

    @Test
    void refusesAVersionBesideAToken() {
        String token = new ContinueToken(7, "a/b").encode();
        assertThatThrownBy(() -> ReadOptions.of(
                        PODS, "", Query.of("/x?resourceVersion=3&continue=" + token)))
                .hasMessage("specifying resource version is not allowed when using continue");
        assertThat(ReadOptions.of(PODS, "", Query.of("/x?resourceVersion=0&continue=" + token))
                        .token())
                .contains(new ContinueToken(7, "a/b"));
    }

    @Test
    void refusesTokensThatLeaveTheirPrefix() {
        assertThatThrownBy(() ->
                        ContinueToken.decode(new ContinueToken(7, "../../secrets/x").encode()))
                .isInstanceOf(ApiException.class);
        assertThat(ContinueToken.decode(new ContinueToken(-1, "ä/b").encode()))
                .isEqualTo(new ContinueToken(-1, "ä/b"));
    }
}
