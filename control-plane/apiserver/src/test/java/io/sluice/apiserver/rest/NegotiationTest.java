package io.sluice.apiserver.rest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.apiserver.registry.ApiException;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class NegotiationTest {

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "''|application/json",
                "*/*|application/json",
                "application/*|application/json",
                "application/json|application/json",
                "application/json; charset=utf-8|application/json",
                "application/vnd.kubernetes.protobuf,application/json|application/json",
                "application/vnd.kubernetes.protobuf, */*|application/json",
                "application/json;as=Table;v=v1;g=meta.k8s.io,application/json|application/json;as=Table;v=v1;g=meta.k8s.io",
                "application/json;as=Table;v=v9;g=meta.k8s.io,application/json|application/json",
                "application/json;as=Table;g=meta.k8s.io;v=v1beta1|application/json;as=Table;v=v1beta1;g=meta.k8s.io",
                "application/vnd.kubernetes.protobuf;as=PartialObjectMetadata;g=meta.k8s.io;v=v1,application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1,application/json|application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io",
                "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1|application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io",
                "application/json;q=0.1,application/json;as=Table;v=v1;g=meta.k8s.io;q=0.9|application/json;as=Table;v=v1;g=meta.k8s.io",
            })
    void takesTheFirstFormItKnows(String accept, String contentType) {
        assertThat(Negotiation.choose(accept).contentType()).isEqualTo(contentType);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "text/html",
                "application/vnd.kubernetes.protobuf",
                "application/json;as=Unknown;g=meta.k8s.io;v=v1",
                "application/json;as=Table;g=other;v=v1",
                "application/json;q=0"
            })
    void refusesTheRest(String accept) {
        assertThatThrownBy(() -> Negotiation.choose(accept))
                .isInstanceOfSatisfying(
                        ApiException.class, e -> assertThat(e.code()).isEqualTo(406));
    }

    @Test
    void survivesNonsense() {
        assertThatThrownBy(() -> Negotiation.choose(";;;=,,;q=x,="))
                .isInstanceOf(ApiException.class);
    }
}
