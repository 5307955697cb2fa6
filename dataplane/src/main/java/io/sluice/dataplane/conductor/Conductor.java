package io.sluice.dataplane.conductor;

import io.sluice.api.meta.NamespacedName;
import io.sluice.api.model.EndpointSlice;
import io.sluice.api.model.Service;
import io.sluice.api.net.Cidr;
import io.sluice.api.net.IpAddress;
import io.sluice.dataplane.apply.Applier;
import io.sluice.endpoints.NodeView;
import io.sluice.endpoints.ProxyDelta;
import io.sluice.endpoints.ProxyImage;
import io.sluice.endpoints.ServiceTracker;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;

/**
 * Takes what the watches say, and syncs. State: one thread owns tracker and applier; others only put
 * messages into a bounded mailbox, and wait where it is full, which in turn slows the watch.
 *
 * <p>Nothing is applied before Services and slices both were seen whole. Messages that wait are taken
 * together, so a burst makes one sync. Where the applier fails inside, the next sync is given the whole
 * difference to what it took in last, so nothing is lost.
 */
public final class Conductor implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Conductor.class);
    private static final int MAILBOX = 8_192;
    private static final int MOST_AT_ONCE = 1_000;
    private static final int MOST_TRIGGERS = 10_000;

    private final BlockingQueue<Message> mailbox = new ArrayBlockingQueue<>(MAILBOX);
    private final LongAdder mailboxFull = new LongAdder();
    private final ServiceTracker tracker;
    private final Applier applier;
    private final SyncListener listener;
    private final Pacer pacer;
    private final Thread thread;
    private final CountDownLatch firstSync = new CountDownLatch(1);
    private final CountDownLatch closeDone = new CountDownLatch(1);
    private final Set<String> reported = new HashSet<>();
    private final List<Long> lostTriggers = new ArrayList<>();
    private boolean servicesSynced;
    private boolean slicesSynced;
    private boolean queuedTold;
    /** Whether the applier took in the view's node. */
    private boolean nodeKnown;

    private boolean closed;
    /** Whether deltas were checked out that the applier did not take in. */
    private boolean lost;
    /** What the applier took in last. */
    private ProxyImage applied;

    private volatile View view;

    /** What others may look at, as of the last sync. */
    public record View(
            ProxyImage image,
            NodeView node,
            List<IpAddress> interfaces,
            List<Cidr> serviceRanges) {}

    /** What goes through the mailbox. */
    private sealed interface Message {
        record ServiceChanged(Service service) implements Message {}

        record ServiceDeleted(NamespacedName name) implements Message {}

        record SliceChanged(EndpointSlice slice) implements Message {}

        record SliceDeleted(NamespacedName name) implements Message {}

        record ServicesSynced() implements Message {}

        record SlicesSynced() implements Message {}

        record NodeChanged(NodeView node, List<IpAddress> interfaces) implements Message {}

        record RangesChanged(List<Cidr> ranges) implements Message {}

        record Resync(String why) implements Message {}

        record Close() implements Message {}
    }

    /**
     * @param node as known so far
     * @param minGap shortest time between syncs
     * @param retryMost longest wait after a failure
     * @param longestGap how long after a sync another one runs, whether anything changed or not
     */
    public Conductor(
            NodeView node,
            List<IpAddress> interfaces,
            Applier applier,
            SyncListener listener,
            Duration minGap,
            Duration retryMost,
            Duration longestGap) {
        this.tracker = new ServiceTracker(node);
        this.applier = applier;
        this.listener = listener;
        this.pacer = new Pacer(minGap, retryMost, longestGap);
        this.applied = tracker.image();
        this.view = new View(applied, node, interfaces, List.of());
        this.thread = Thread.ofPlatform().name("conductor").daemon().unstarted(this::run);
    }

    public void start() {
        post(new Message.NodeChanged(view.node(), view.interfaces()));
        thread.start();
    }

    public void onService(Service service) {
        post(new Message.ServiceChanged(service));
    }

    public void onServiceDeleted(NamespacedName name) {
        post(new Message.ServiceDeleted(name));
    }

    public void onServicesSynced() {
        post(new Message.ServicesSynced());
    }

    public void onSlice(EndpointSlice slice) {
        post(new Message.SliceChanged(slice));
    }

    public void onSliceDeleted(NamespacedName name) {
        post(new Message.SliceDeleted(name));
    }

    public void onSlicesSynced() {
        post(new Message.SlicesSynced());
    }

    /** @param interfaces all addresses of the node's interfaces */
    public void onNode(NodeView node, Collection<IpAddress> interfaces) {
        post(new Message.NodeChanged(node, List.copyOf(interfaces)));
    }

    /** @param ranges out of which cluster IPs come, sorted */
    public void onServiceRanges(List<Cidr> ranges) {
        post(new Message.RangesChanged(List.copyOf(ranges)));
    }

    /**
     * Asks for a sync although no object changed: something went missing in the kernel. Any thread; the applier must know by itself
     * what is to be repaired.
     *
     * @param why for the log
     */
    public void requestSync(String why) {
        post(new Message.Resync(why));
    }

    /** How often somebody had to wait for room in the mailbox. */
    public long mailboxFull() {
        return mailboxFull.sum();
    }

    /** As of the last sync. Any thread. */
    public View view() {
        return view;
    }

    /** @return whether the first sync was done within the time */
    public boolean awaitFirstSync(Duration timeout) throws InterruptedException {
        return firstSync.await(timeout.toMillis(), TimeUnit.MILLISECONDS);
    }

    private void post(Message message) {
        if (mailbox.offer(message)) {
            return;
        }
        mailboxFull.increment();
        try {
            mailbox.put(message);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void run() {
        List<Message> batch = new ArrayList<>();
        while (!closed) {
            try {
                Message first = next();
                if (first != null) {
                    batch.add(first);
                    mailbox.drainTo(batch, MOST_AT_ONCE);
                }
                batch.forEach(this::handleSafely);
                batch.clear();
                if (!closed) {
                    syncIfDue();
                }
            } catch (InterruptedException e) {
                closed = true;
            }
        }
        closeDone.countDown();
    }

    /** One message that cannot be handled must not take others with it. */
    private void handleSafely(Message message) {
        try {
            handle(message);
        } catch (RuntimeException | Error e) {
            String problem = describe(message) + " could not be handled: " + e;
            if (reported.add(problem)) {
                LOG.error("conductor: {}; going on without it", problem, e);
            }
            pacer.trigger();
        }
    }

    private static String describe(Message message) {
        return switch (message) {
            case Message.ServiceChanged change -> "Service " + change.service().name();
            case Message.ServiceDeleted deleted -> "the end of Service " + deleted.name();
            case Message.SliceChanged change ->
                "EndpointSlice " + change.slice().name();
            case Message.SliceDeleted deleted -> "the end of EndpointSlice " + deleted.name();
            case Message.ServicesSynced synced -> "the list of Services";
            case Message.SlicesSynced synced -> "the list of EndpointSlices";
            case Message.NodeChanged change -> "Node " + change.node().name();
            case Message.RangesChanged change -> "Service ranges " + change.ranges();
            case Message.Resync resync -> "a repair (" + resync.why() + ')';
            case Message.Close close -> "the end";
        };
    }

    private Message next() throws InterruptedException {
        long wait = synced() ? pacer.untilDue(System.nanoTime()) : Long.MAX_VALUE;
        return wait <= 0 ? mailbox.poll() : mailbox.poll(wait, TimeUnit.NANOSECONDS);
    }

    private boolean synced() {
        return servicesSynced && slicesSynced;
    }

    private void handle(Message message) {
        switch (message) {
            case Message.ServiceChanged change -> tracker.onService(change.service());
            case Message.ServiceDeleted deleted -> tracker.onServiceDeleted(deleted.name());
            case Message.SliceChanged change -> tracker.onSlice(change.slice());
            case Message.SliceDeleted deleted -> tracker.onSliceDeleted(deleted.name());
            case Message.ServicesSynced synced -> {
                servicesSynced = true;
                pacer.trigger();
            }
            case Message.SlicesSynced synced -> {
                slicesSynced = true;
                pacer.trigger();
            }
            case Message.NodeChanged change -> onNodeChanged(change);
            case Message.RangesChanged change -> {
                View before = view;
                view = new View(
                        before.image(), before.node(), before.interfaces(), change.ranges());
                List<String> problems = applier.onServiceRanges(change.ranges());
                report(problems);
                if (!problems.isEmpty()) {
                    pacer.trigger(); // apply tries again
                }
            }
            case Message.Resync resync -> {
                LOG.info("syncing again: {}", resync.why());
                pacer.trigger();
            }
            case Message.Close close -> closed = true;
        }
    }

    /** A node tells of itself often; most of it does not matter here. */
    private void onNodeChanged(Message.NodeChanged change) {
        View before = view;
        boolean same = before.node().equals(change.node())
                && before.interfaces().equals(change.interfaces());
        if (same && nodeKnown) {
            return;
        }
        tracker.onNode(change.node());
        view = new View(before.image(), change.node(), change.interfaces(), before.serviceRanges());
        nodeKnown = false;
        List<String> problems = tellNode();
        report(problems);
        if (!problems.isEmpty()) {
            pacer.trigger(); // a sync tries again, and again later if need be
        }
    }

    private List<String> tellNode() {
        List<String> problems = applier.onNode(view.node(), view.interfaces());
        nodeKnown = true;
        return problems;
    }

    private void syncIfDue() {
        if (tracker.hasPending()) {
            pacer.trigger();
            if (!queuedTold) {
                queuedTold = true;
                listener.onQueued(tracker.counts());
            }
        }
        if (synced() && pacer.untilDue(System.nanoTime()) <= 0) {
            try {
                sync();
            } catch (RuntimeException | Error e) {
                pacer.onRun(false, System.nanoTime());
                String problem = "sync failed inside, everything will be synced again: " + e;
                if (reported.add(problem)) {
                    LOG.error("conductor: {}", problem, e);
                }
                listener.onFailed(problem);
            }
        }
    }

    private void sync() {
        ServiceTracker.CheckOut checkOut = tracker.checkOut();
        ProxyDelta delta = takeLost(checkOut);
        long start = System.nanoTime();
        if (!nodeKnown) {
            tellNode(); // failed inside the last time; what it could not do, apply tries again
        }
        List<String> problems = applier.apply(checkOut.image(), delta);
        long end = System.nanoTime();
        applied = checkOut.image();
        lost = false;
        lostTriggers.clear();
        View before = view;
        view = new View(applied, before.node(), before.interfaces(), before.serviceRanges());
        queuedTold = false;
        List<String> all = new ArrayList<>(problems);
        all.addAll(listener.onSynced(delta, problems, end - start, tracker.counts()));
        pacer.onRun(all.isEmpty(), System.nanoTime());
        report(all);
        firstSync.countDown();
    }

    /** The delta to apply: that of the check-out, or after a failure everything since the last success. */
    private ProxyDelta takeLost(ServiceTracker.CheckOut checkOut) {
        ProxyDelta delta = checkOut.delta();
        boolean complete = !lost;
        lost = true; // until the applier returns
        for (long trigger : delta.triggerTimes()) {
            if (lostTriggers.size() < MOST_TRIGGERS) {
                lostTriggers.add(trigger);
            }
        }
        return complete ? delta : Deltas.between(applied, checkOut.image(), lostTriggers);
    }

    /** A problem is logged when it comes and not again while it stays. */
    private void report(List<String> problems) {
        for (String problem : problems) {
            if (reported.add(problem)) {
                LOG.warn("{}", problem);
            }
        }
        reported.retainAll(problems);
    }

    /** Waits for the sync under way. The applier is the caller's to close. */
    @Override
    public void close() {
        if (!thread.isAlive()) {
            return;
        }
        post(new Message.Close());
        try {
            if (!closeDone.await(10, TimeUnit.SECONDS)) {
                thread.interrupt();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
