package io.sluice.dataplane.nft;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.sluice.api.net.Cidr;
import io.sluice.api.net.IpAddress;
import io.sluice.api.net.IpFamily;
import io.sluice.dataplane.Objects;
import io.sluice.dataplane.apply.RuleSyncs;
import io.sluice.endpoints.NodePortAddresses;
import io.sluice.endpoints.NodeView;
import io.sluice.endpoints.ServiceTracker;
import io.sluice.kernel.KernelException;
import io.sluice.kernel.nft.NftDoor;
import io.sluice.nft.Command;
import io.sluice.nft.Element;
import io.sluice.nft.Transaction;
import io.sluice.rules.LocalDetector;
import io.sluice.rules.NodeFacts;
import io.sluice.rules.RuleSettings;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;

/** When everything is written anew, and when not. */
class NftApplierTest {
    private static final int ENOENT = 2;
    private static final NodeView NODE =
            new NodeView(Objects.NODE, "", List.of(IpAddress.of("192.0.2.1")));
    private static final RuleSettings SETTINGS = new RuleSettings(
            0x4000,
            false,
            new LocalDetector.None(),
            NodePortAddresses.parse(List.of("primary")),
            false,
            true);

    private final Door door = new Door();
    private final List<String> resyncs = new CopyOnWriteArrayList<>();
    private final ServiceTracker tracker = new ServiceTracker(NODE);
    private final NftApplier applier = new NftApplier(
            Set.of(IpFamily.IPV4),
            SETTINGS,
            new NodeFacts(NODE, List.of(), List.of()),
            door,
            RuleSyncs.UNHEARD,
            resyncs::add);

    /** Counts elements and rules; refuses when told to. Guarded by itself. */
    private static final class Door implements NftDoor {
        private final List<Transaction> taken = new ArrayList<>();
        private final Map<String, Integer> census = new HashMap<>();
        private boolean refuse;
        private int generation = 7;
        private int looks;

        @Override
        public synchronized void commit(Transaction transaction) throws KernelException {
            if (refuse) {
                throw new KernelException("nftables: add element to", "ip frontends", ENOENT);
            }
            taken.add(transaction);
            generation++;
            for (Command command : transaction.commands()) {
                count(command);
            }
        }

        private void count(Command command) {
            switch (command) {
                case Command.AddTable any -> {}
                case Command.DeleteTable any -> census.clear();
                case Command.AddChain any -> {}
                case Command.FlushChain flush -> census.remove("chain " + flush.chain());
                case Command.AddRule add -> census.merge("chain " + add.chain(), 1, Integer::sum);
                case Command.AddSet add -> {
                    if (add.set().timeoutSeconds() == 0) {
                        census.put("set " + add.set().name(), 0);
                    }
                }
                case Command.DeleteSet delete -> census.remove("set " + delete.set());
                case Command.AddElement add ->
                    census.merge("set " + add.element().set(), 1, Integer::sum);
                case Command.DeleteElement delete ->
                    census.merge("set " + delete.element().set(), -1, Integer::sum);
            }
        }

        /** Somebody else's. @param ours what it takes from our table */
        synchronized void foreign(String ours) {
            generation++;
            census.computeIfPresent(ours, (name, count) -> count - 1);
        }

        synchronized void refuse(boolean now) {
            refuse = now;
        }

        synchronized int looks() {
            return looks;
        }

        synchronized Transaction last() {
            return taken.getLast();
        }

        synchronized int count() {
            return taken.size();
        }

        @Override
        public synchronized int generation() {
            return generation;
        }

        @Override
        public synchronized Map<String, Integer> census(IpFamily family) {
            looks++;
            return Map.copyOf(census);
        }

        @Override
        public List<Element> elements(IpFamily family) {
            return List.of();
        }

        @Override
        public boolean deleteTable(IpFamily family, String table) {
            return false;
        }

        @Override
        public void close() {}
    }

    @AfterEach
    void close() {
        applier.close();
    }

    private ServiceTracker.CheckOut change(String... addresses) {
        tracker.onService(Objects.service(1));
        tracker.onSlice(Objects.slice(1, 0, addresses));
        return tracker.checkOut();
    }

    private void sync(ServiceTracker.CheckOut checkOut) {
        assertThat(applier.apply(checkOut.image(), checkOut.delta())).isEmpty();
    }

    private boolean lastWasFull() {
        return door.last().commands().contains(new Command.DeleteTable());
    }

    @Test
    void changesTouchTheirElementsAlone() {
        sync(change("10.1.0.1", "10.1.0.2"));
        assertThat(lastWasFull()).isTrue();

        sync(change("10.1.0.1", "10.1.0.3"));
        assertThat(lastWasFull()).isFalse();
        assertThat(door.last().commands())
                .hasSizeLessThan(6)
                .allMatch(command -> command instanceof Command.AddElement
                        || command instanceof Command.DeleteElement);

        int before = door.count();
        sync(tracker.checkOut());
        assertThat(door.count()).as("nothing to say").isEqualTo(before);
        assertThat(door.looks()).as("nothing is listed").isZero();
    }

    @Test
    void afterARefusalEverythingIsWrittenAnew() {
        sync(change("10.1.0.1"));
        ServiceTracker.CheckOut next = change("10.1.0.2");
        door.refuse(true);
        assertThatThrownBy(() -> applier.apply(next.image(), next.delta()))
                .isInstanceOf(UncheckedIOException.class)
                .hasMessageContaining("add element to ip frontends failed: ENOENT");
        door.refuse(false);
        sync(next);
        assertThat(lastWasFull()).isTrue();
        sync(change("10.1.0.3"));
        assertThat(lastWasFull()).isFalse();
    }

    @Test
    void whatOthersDoElsewhereIsLookedAtAndLeft() {
        sync(change("10.1.0.1"));
        door.foreign("chain of-another-table");
        await().until(() -> door.looks() > 0);
        sync(change("10.1.0.2"));
        assertThat(lastWasFull()).isFalse();
        assertThat(resyncs).isEmpty();
    }

    @Test
    void whatOthersTookFromUsIsWrittenAnew() {
        sync(change("10.1.0.1"));
        door.foreign("set frontends");
        await().atMost(Duration.ofSeconds(10)).until(() -> !resyncs.isEmpty());
        assertThat(resyncs.getFirst()).contains("IPV4", "somebody else changed it");
        sync(tracker.checkOut());
        assertThat(lastWasFull()).isTrue();
    }

    @Test
    void oursDoNotHideWhatOthersDid() {
        sync(change("10.1.0.1"));
        door.foreign("set frontends");
        sync(change("10.1.0.2"));
        sync(change("10.1.0.3"));
        await().atMost(Duration.ofSeconds(10)).until(() -> !resyncs.isEmpty());
    }

    @Test
    void otherServiceRangesAskForAnotherProgram() {
        sync(change("10.1.0.1"));
        assertThat(applier.onServiceRanges(List.of(Cidr.of("10.0.0.0/16")))).hasSize(1);
        sync(tracker.checkOut());
        assertThat(lastWasFull()).isTrue();
    }
}
