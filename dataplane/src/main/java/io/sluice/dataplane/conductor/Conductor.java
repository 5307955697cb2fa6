package io.sluice.dataplane.conductor;

import io.sluice.api.meta.NamespacedName;
import io.sluice.api.model.EndpointSlice;
import io.sluice.api.model.Service;
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
 * Takes what the watches say, and syncs. State: one thread owns tracker and applier; others only put messages into a bounded mailbox,
 * and wait where it is full, which in turn slows the watch.
 *
 * <p>Nothing is applied before Services and slices both were seen whole. Messages that wait are taken together, so a burst makes one
 * sync.
 */
public final class Conductor implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Conductor.class);
    private static final int MAILBOX = 8_192;
    private static final Duration FULL_SYNC = Duration.ofHours(1);

    private final BlockingQueue<Message> mailbox = new ArrayBlockingQueue<>(MAILBOX);
    private final LongAdder mailboxFull = new LongAdder();
    private final ServiceTracker tracker;
    private final Applier applier;
    private final SyncListener listener;
    private final Pacer pacer;
    private final Thread thread;
    private final CountDownLatch firstSync = new CountDownLatch(1);
    private final Set<String> reported = new HashSet<>();
    private boolean servicesSynced;
    private boolean slicesSynced;
    private boolean queuedTold;
    private boolean closed;
    private volatile View view;

    /** What others may look at, as of the last sync. */
    public record View(ProxyImage image, NodeView node, List<IpAddress> interfaces) {}

    /** What goes through the mailbox. */
    private sealed interface Message {
        record ServiceChanged(Service service) implements Message {}

        record ServiceDeleted(NamespacedName name) implements Message {}

        record SliceChanged(EndpointSlice slice) implements Message {}

        record SliceDeleted(NamespacedName name) implements Message {}

        record ServicesSynced() implements Message {}

        record SlicesSynced() implements Message {}

        record NodeChanged(NodeView node, List<IpAddress> interfaces) implements Message {}

        record Close(CountDownLatch done) implements Message {}
    }

    /**
     * @param node as known so far
     * @param minGap shortest time between syncs
     * @param retryMost longest wait after a failure
     */
    public Conductor(
            NodeView node,
            List<IpAddress> interfaces,
            Applier applier,
            SyncListener listener,
            Duration minGap,
            Duration retryMost) {
        this.tracker = new ServiceTracker(node);
        this.applier = applier;
        this.listener = listener;
        this.pacer = new Pacer(minGap, retryMost, FULL_SYNC);
        this.view = new View(tracker.image(), node, interfaces);
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
        CountDownLatch done = new CountDownLatch(1);
        while (!closed) {
            try {
                Message first = next();
                if (first != null) {
                    batch.add(first);
                    mailbox.drainTo(batch, 1_000);
                }
                for (Message message : batch) {
                    if (message instanceof Message.Close close) {
                        done = close.done();
                    }
                    handle(message);
                }
                batch.clear();
                syncIfDue();
            } catch (InterruptedException e) {
                closed = true;
            } catch (RuntimeException | Error e) {
                batch.clear();
                pacer.onRun(false, System.nanoTime());
                LOG.error("conductor: failed inside, syncing again: {}", e.toString(), e);
            }
        }
        done.countDown();
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
            case Message.Close close -> closed = true;
        }
    }

    private void onNodeChanged(Message.NodeChanged change) {
        tracker.onNode(change.node());
        view = new View(tracker.image(), change.node(), change.interfaces());
        report(applier.onNode(change.node(), change.interfaces()));
    }

    private void syncIfDue() {
        if (tracker.hasPending()) {
            pacer.trigger();
            if (!queuedTold) {
                queuedTold = true;
                listener.onQueued(tracker.counts());
            }
        }
        if (!closed && synced() && pacer.untilDue(System.nanoTime()) <= 0) {
            sync();
        }
    }

    private void sync() {
        long start = System.nanoTime();
        ServiceTracker.CheckOut checkOut = tracker.checkOut();
        ProxyDelta delta = checkOut.delta();
        List<String> problems = applier.apply(checkOut.image(), delta);
        long end = System.nanoTime();
        View before = view;
        view = new View(checkOut.image(), before.node(), before.interfaces());
        pacer.onRun(problems.isEmpty(), end);
        report(problems);
        queuedTold = false;
        listener.onSynced(delta, problems, end - start, tracker.counts());
        firstSync.countDown();
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
        CountDownLatch done = new CountDownLatch(1);
        post(new Message.Close(done));
        try {
            if (thread.isAlive() && !done.await(10, TimeUnit.SECONDS)) {
                thread.interrupt();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
