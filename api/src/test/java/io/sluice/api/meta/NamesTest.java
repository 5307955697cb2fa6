package io.sluice.api.meta;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class NamesTest {

    @ParameterizedTest
    @CsvSource(
            nullValues = "-",
            value = {
                "a, true, true, true", "a-b, true, true, true", "0a, true, false, true",
                        "123, true, false, true",
                "a.b, false, false, true", "a..b, false, false, false", "-a, false, false, false",
                        "a-, false, false, false",
                "A, false, false, false", "a_b, false, false, false", "'', false, false, false",
                        ".a, false, false, false",
                "a.-b, false, false, false", "ä, false, false, false",
            })
    void knowsTheThreeFormsOfNames(
            String text, boolean label, boolean label1035, boolean subdomain) {
        assertThat(Names.dnsLabel(text).isEmpty()).isEqualTo(label);
        assertThat(Names.dns1035Label(text).isEmpty()).isEqualTo(label1035);
        assertThat(Names.dnsSubdomain(text).isEmpty()).isEqualTo(subdomain);
    }

    @ParameterizedTest
    @CsvSource({
        "a, true",
        "A.b_c-d, true",
        "example.com/a, true",
        "example.com/, false",
        "/a, false",
        "a/b/c, false",
        "Example.com/a, false",
        "_a, false",
        "a_, false",
        "'', false",
    })
    void knowsQualifiedNames(String text, boolean right) {
        assertThat(Names.qualifiedName(text).isEmpty()).isEqualTo(right);
    }

    @Test
    void holdsTheLimitsOfLength() {
        assertThat(Names.dnsLabel("a".repeat(63))).isEmpty();
        assertThat(Names.dnsLabel("a".repeat(64)))
                .containsExactly("must be no more than 63 characters");
        assertThat(Names.dnsSubdomain("a".repeat(253))).isEmpty();
        assertThat(Names.dnsSubdomain("a".repeat(254)))
                .containsExactly("must be no more than 253 characters");
        assertThat(Names.labelValue("a".repeat(63))).isEmpty();
        assertThat(Names.labelValue("a".repeat(64)))
                .containsExactly("must be no more than 63 characters");
        assertThat(Names.labelValue("")).isEmpty();
        assertThat(Names.qualifiedName("a".repeat(64)))
                .containsExactly("name part must be no more than 63 characters");
        assertThat(Names.qualifiedName("")).first().isEqualTo("name part must be non-empty");
    }

    @Test
    void survivesNamesBeyondAllBounds() {
        String hostile = "a.".repeat(2_000_000) + "a";

        assertThat(Names.dnsSubdomain(hostile))
                .containsExactly("must be no more than 253 characters");
        assertThat(Names.labelValue(hostile)).containsExactly("must be no more than 63 characters");
        assertThat(Names.qualifiedName(hostile + "/" + hostile)).isNotEmpty();
    }

    @Test
    void buildsPathsOfCollections() {
        GroupVersionResource slices =
                new GroupVersionResource("discovery.k8s.io", "v1", "endpointslices");
        GroupVersionResource nodes = new GroupVersionResource("", "v1", "nodes");

        assertThat(slices.path("kube-system"))
                .isEqualTo("/apis/discovery.k8s.io/v1/namespaces/kube-system/endpointslices");
        assertThat(nodes.path("")).isEqualTo("/api/v1/nodes");
        assertThat(slices.groupResource()).isEqualTo("endpointslices.discovery.k8s.io");
        assertThat(GroupVersionKind.of("apps/v1", "Deployment"))
                .isEqualTo(new GroupVersionKind("apps", "v1", "Deployment"));
        assertThat(GroupVersionKind.of("v1", "Pod").apiVersion()).isEqualTo("v1");
    }
}
