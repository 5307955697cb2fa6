package io.sluice.apiserver.rest;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.api.meta.GroupVersionResource;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ApiPathTest {

    @ParameterizedTest
    @CsvSource(
            nullValues = "-",
            emptyValue = "",
            value = {
                "/api/v1/pods, '', v1, pods, '', '', ''",
                "/api/v1/pods/, '', v1, pods, '', '', ''",
                "/api/v1/namespaces, '', v1, namespaces, '', '', ''",
                "/api/v1/namespaces/a, '', v1, namespaces, '', a, ''",
                "/api/v1/namespaces/a/status, '', v1, namespaces, '', a, status",
                "/api/v1/namespaces/a/finalize, '', v1, namespaces, '', a, finalize",
                "/api/v1/namespaces/a/pods, '', v1, pods, a, '', ''",
                "/api/v1/namespaces/a/pods/b, '', v1, pods, a, b, ''",
                "/api/v1/namespaces/a/pods/b/status, '', v1, pods, a, b, status",
                "/api/v1/namespaces/a/services/b/proxy/x/y, '', v1, services, a, b, proxy/x/y",
                "/api/v1/nodes/n?watch=true, '', v1, nodes, '', n, ''",
                "/apis/g.io/v1/things, g.io, v1, things, '', '', ''",
                "/apis/g.io/v1/namespaces/a/things/b, g.io, v1, things, a, b, ''",
                "//api//v1///pods, '', v1, pods, '', '', ''",
                "/api/v1/pods/a%2Fb, '', v1, pods, '', a/b, ''",
                "/api/v1/pods/a+b, '', v1, pods, '', a+b, ''",
            })
    void namesResources(
            String uri,
            String group,
            String version,
            String resource,
            String namespace,
            String name,
            String subresource) {
        assertThat(ApiPath.of(uri))
                .isEqualTo(new ApiPath.OfResource(
                        new GroupVersionResource(group, version, resource),
                        namespace,
                        name,
                        subresource));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"/", "", "/api", "/api/v1", "/apis", "/apis/g", "/apis/g/v1", "/livez/ping"})
    void namesOtherPaths(String uri) {
        assertThat(ApiPath.of(uri)).isInstanceOf(ApiPath.Other.class);
    }
}
