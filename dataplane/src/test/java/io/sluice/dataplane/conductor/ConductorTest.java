package io.sluice.dataplane.conductor;

import static io.sluice.dataplane.Objects.name;
import static io.sluice.dataplane.Objects.service;
import static io.sluice.dataplane.Objects.slice;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.sluice.api.meta.NamespacedName;
import io.sluice.api.net.Cidr;
import io.sluice.api.net.IpAddress;
import io.sluice.dataplane.Objects;
import io.sluice.endpoints.NodeView;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;

/** The conductor with an applier that checks what it is given, and fails as it is told. */
class ConductorTest {
    private static final List<IpAddress> ADDRESSES = List.of(IpAddress.of("192.0.2.1"));
    private static final NodeView NODE = new NodeView(Objects.NODE, "", ADDRESSES);

    private final TwinApplier applier = new TwinApplier();
    private final Heard heard = new Heard();
    private final Conductor conductor = new Conductor(
            NODE,
            ADDRESSES,
            applier,
            heard,
            Duration.ZERO,
            Duration.ofMillis(5),
            Duration.ofHours(1));

    @AfterEach
    void close() {
        conductor.close();
        assertThat(applier.contradictions()).isEmpty();
    }

    private void start() {
        conductor.start();
        conductor.onServicesSynced();
        conductor.onSlicesSynced();
        await().until(() -> !heard.syncs().isEmpty());
    }

    private Set<NamespacedName> carried() {
        Set<NamespacedName> out = new HashSet<>();
        applier.carried().keySet().forEach(port -> out.add(port.service()));
        return out;
    }

    @Test
    void shouldApplyNothingBeforeServicesAndSlicesAreKnown() throws Exception {
        conductor.start();
        conductor.onService(service(1));
        conductor.onServicesSynced();
        await().until(() -> heard.queued() == 1);
        assertThat(conductor.awaitFirstSync(Duration.ZERO)).isFalse();
        assertThat(applier.calls()).isZero();

        conductor.onSlice(slice(1, 0, "10.1.0.1"));
        conductor.onSlicesSynced();

        assertThat(conductor.awaitFirstSync(Duration.ofSeconds(30))).isTrue();
        assertThat(carried()).containsExactly(name(1));
        assertThat(conductor.view().image().ports()).hasSize(1);
        assertThat(applier.nodeCalls()).isEqualTo(1);
    }

    @Test
    void shouldSyncAnEmptyCluster() throws Exception {
        start();

        assertThat(conductor.awaitFirstSync(Duration.ofSeconds(30))).isTrue();
        assertThat(carried()).isEmpty();
    }

    @Test
    void shouldTakeABurstInOneSync() throws Exception {
        start();
        int before = applier.calls();
        CountDownLatch release = blockApplier();
        conductor.onService(service(0));
        await().until(() -> applier.calls() == before + 1);
        for (int i = 1; i <= 500; i++) {
            conductor.onService(service(i));
        }
        release.countDown();

        await().until(() -> applier.carried().size() == 501);
        assertThat(applier.calls()).isEqualTo(before + 2);
    }

    private CountDownLatch blockApplier() {
        CountDownLatch release = new CountDownLatch(1);
        applier.script(() -> {
            try {
                release.await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
            return List.of();
        });
        return release;
    }

    @Test
    void shouldMakeSendersWaitWhereTheMailboxIsFull() {
        start();
        int before = applier.calls();
        CountDownLatch release = blockApplier();
        conductor.onService(service(0));
        await().until(() -> applier.calls() == before + 1);
        Thread sender = Thread.ofVirtual().start(() -> {
            for (int i = 1; i < 10_000; i++) {
                conductor.onService(service(i));
            }
        });
        await().until(() -> conductor.mailboxFull() > 0);
        assertThat(sender.isAlive()).isTrue();
        release.countDown();

        await().atMost(Duration.ofSeconds(30)).until(() -> applier.carried().size() == 10_000);
    }

    @Test
    void shouldGiveAllAgainAfterAFailureInside() {
        start();
        AtomicInteger failures = new AtomicInteger();
        CountDownLatch failed = new CountDownLatch(3);
        applier.script(() -> {
            failed.countDown();
            throw new IllegalStateException("broken " + failures.incrementAndGet());
        });
        conductor.onService(service(1));
        conductor.onSlice(slice(1, 77, "10.1.0.1"));
        await().until(() -> failed.getCount() == 0);
        conductor.onService(service(2));
        conductor.onSliceDeleted(new NamespacedName("default", "s1-a"));
        await().until(() -> failures.get() > 5);
        assertThat(carried()).isEmpty();
        assertThat(heard.failures().getFirst()).contains("broken 1");
        applier.script(List::of);

        await().until(() -> carried().equals(Set.of(name(1), name(2))));
        // What started the change counts when the change is in force, once.
        await().untilAsserted(() -> assertThat(heard.triggerTimes()).containsExactly(77L));
        int calls = applier.calls();
        conductor.onServiceDeleted(name(1));
        await().until(() -> carried().equals(Set.of(name(2))));
        assertThat(applier.calls()).isEqualTo(calls + 1);
    }

    @Test
    void shouldTryAgainWhatIsNotInPlace() {
        start();
        applier.script(() -> List.of("port 80 is taken"));
        conductor.onService(service(1));
        int calls = applier.calls();
        await().until(() -> applier.calls() > calls + 2);
        assertThat(heard.syncs()).contains(List.of("port 80 is taken"));
        assertThat(carried()).containsExactly(name(1));
        applier.script(List::of);

        await().until(() -> heard.syncs().getLast().isEmpty());
        assertThat(applier.taken().getLast().isEmpty()).isTrue();
    }

    @Test
    void shouldTryAgainForItsListener() {
        start();
        heard.answer(List.of("no health check"));
        conductor.onService(service(1));
        int syncs = heard.syncs().size();
        await().until(() -> heard.syncs().size() > syncs + 2);
        heard.answer(List.of());
        int then = heard.syncs().size();
        conductor.onService(service(2));

        await().until(() -> heard.syncs().size() > then && carried().contains(name(2)));
    }

    @Test
    void shouldTellTheApplierOfTheNodeOnlyWhatIsNew() {
        start();
        for (int i = 0; i < 10; i++) {
            conductor.onNode(NODE, ADDRESSES);
        }
        NodeView zoned = new NodeView(Objects.NODE, "zone-a", ADDRESSES);
        conductor.onNode(zoned, ADDRESSES);

        await().until(() -> conductor.view().node().equals(zoned));
        await().until(() -> applier.nodeCalls() == 2);
    }

    @Test
    void shouldTellTheNodeAgainWhereThatFailed() {
        start();
        AtomicInteger left = new AtomicInteger(2);
        applier.scriptNode(() -> {
            if (left.getAndDecrement() > 0) {
                throw new IllegalStateException("no route");
            }
            return List.of();
        });
        conductor.onNode(new NodeView("other", "", ADDRESSES), ADDRESSES);
        conductor.onService(service(1));

        await().until(() -> left.get() < 0 && carried().contains(name(1)));
    }

    @Test
    void shouldTellTheApplierOfServiceRanges() {
        start();
        List<Cidr> ranges = List.of(Cidr.of("10.96.0.0/16"), Cidr.of("fd00::/112"));
        conductor.onServiceRanges(ranges);

        await().until(() -> applier.ranges().equals(ranges));
    }

    @Test
    void shouldRetryWhatANodeChangeCouldNotPlace() {
        start();
        int calls = applier.calls();
        applier.scriptNode(() -> List.of("node port is taken"));
        conductor.onNode(new NodeView("other", "", ADDRESSES), ADDRESSES);

        await().until(() -> applier.calls() > calls);
    }

    @Test
    void shouldForgetWhatIsGone() {
        start();
        for (int i = 0; i < 10_000; i++) {
            conductor.onService(service(i));
            conductor.onSlice(slice(i, 0, "10.1.0.1", "10.1.0.2"));
        }
        await().atMost(Duration.ofSeconds(60)).until(() -> applier.carried().size() == 10_000);
        for (int i = 0; i < 10_000; i++) {
            conductor.onSliceDeleted(new NamespacedName("default", "s" + i + "-a"));
            conductor.onServiceDeleted(name(i));
        }

        await().atMost(Duration.ofSeconds(60)).until(() -> applier.carried().isEmpty());
        assertThat(conductor.view().image().ports()).isEmpty();
    }

    /** Random changes, random failures: in the end what is carried is what there is. */
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5})
    void shouldConvergeWhateverFails(long seed) {
        Random random = new Random(seed);
        Random failing = new Random(-seed);
        start();
        applier.script(() -> switch (failing.nextInt(4)) {
            case 0 -> throw new IllegalStateException("seed " + seed);
            case 1 -> List.of("something is taken");
            default -> List.of();
        });
        Set<NamespacedName> wanted = new HashSet<>();
        for (int i = 0; i < 3_000; i++) {
            int number = random.nextInt(50);
            if (random.nextInt(3) == 0) {
                conductor.onServiceDeleted(name(number));
                wanted.remove(name(number));
            } else {
                conductor.onService(service(number));
                wanted.add(name(number));
            }
            if (random.nextBoolean()) {
                conductor.onSlice(
                        slice(random.nextInt(50), i, "10.1.0." + (1 + random.nextInt(200))));
            }
        }
        applier.script(List::of);

        await().untilAsserted(() -> assertThat(carried()).isEqualTo(wanted));
        assertThat(conductor.view().image().ports()).hasSameSizeAs(wanted);
    }

    @Test
    void shouldCloseWithoutAStart() {
        conductor.close();

        assertThat(applier.calls()).isZero();
    }
}
