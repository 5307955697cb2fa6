package io.sluice.dataplane.events;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.node.ObjectNode;

import io.sluice.api.meta.NamespacedName;
import io.sluice.dataplane.ManualClock;
import io.sluice.dataplane.TwinKubeClient;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import java.time.Duration;

/** Events as kube-proxy writes them, and never too many. */
class ProxyEventsTest {
    private final TwinKubeClient client = new TwinKubeClient();
    private final ManualClock clock = new ManualClock();
    private final ProxyEvents events = new ProxyEvents(client, clock, "node-1");

    @AfterEach
    void close() {
        events.close();
    }

    @Test
    void shouldTellThatItStarts() {
        events.onNode("Normal", "Starting", "");
        await().until(() -> client.created().size() == 1);

        ObjectNode event = client.created().getFirst();
        assertThat(event.path("apiVersion").asText()).isEqualTo("events.k8s.io/v1");
        assertThat(event.path("metadata").path("namespace").asText()).isEqualTo("default");
        assertThat(event.path("metadata").path("name").asText()).startsWith("node-1.");
        assertThat(event.path("regarding").toString())
                .isEqualTo("{\"kind\":\"Node\",\"name\":\"node-1\"}");
        assertThat(event.path("eventTime").asText()).isEqualTo("2026-12-01T10:00:00.123456Z");
        assertThat(event.path("reportingController").asText()).isEqualTo("kube-proxy");
        assertThat(event.path("reportingInstance").asText()).isEqualTo("kube-proxy-node-1");
        assertThat(event.path("action").asText()).isEqualTo("StartKubeProxy");
        assertThat(event.path("reason").asText()).isEqualTo("Starting");
        assertThat(event.path("type").asText()).isEqualTo("Normal");
    }

    @Test
    void shouldTellOfAServiceInItsNamespaceUnderNamesOfTheirOwn() {
        NamespacedName service = new NamespacedName("shop", "web");
        events.onService(service, "FailedToStartServiceHealthcheck", "Listen", "x".repeat(2_000));
        events.onService(service, "FailedToStartServiceHealthcheck", "Listen", "again");
        await().until(() -> client.created().size() == 2);

        ObjectNode event = client.created().getFirst();
        assertThat(event.path("metadata").path("namespace").asText()).isEqualTo("shop");
        assertThat(event.path("regarding").path("kind").asText()).isEqualTo("Service");
        assertThat(event.path("note").asText()).hasSize(1024);
        assertThat(client.created())
                .extracting(created -> created.path("metadata").path("name").asText())
                .doesNotHaveDuplicates();
    }

    @Test
    void shouldWriteSoManyAMinuteAndCountTheRest() throws InterruptedException {
        for (int i = 0; i < 100; i++) {
            events.onNode("Warning", "Again", "number " + i);
        }
        assertThat(events.flush(Duration.ofSeconds(20))).isTrue();
        assertThat(client.created()).hasSize(30);
        assertThat(events.dropped()).isEqualTo(70);

        clock.advance(Duration.ofMinutes(1));
        events.onNode("Warning", "Again", "next minute");
        assertThat(events.flush(Duration.ofSeconds(20))).isTrue();
        assertThat(client.created()).hasSize(31);
    }

    @Test
    void shouldGoOnWhereTheServerRefuses() throws InterruptedException {
        client.refuse("no events for you");
        events.onNode("Normal", "Starting", "");
        assertThat(events.flush(Duration.ofSeconds(20))).isTrue();
        assertThat(client.created()).isEmpty();
        client.refuse("");

        events.onNode("Normal", "Starting", "");
        await().until(() -> client.created().size() == 1);
    }
}
