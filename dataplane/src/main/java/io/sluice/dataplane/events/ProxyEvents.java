package io.sluice.dataplane.events;

import com.fasterxml.jackson.databind.node.ObjectNode;

import io.sluice.api.client.KubeClient;
import io.sluice.api.meta.GroupVersionResource;
import io.sluice.api.meta.NamespacedName;
import io.sluice.api.object.Json;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;

/**
 * Writes Events of group events.k8s.io, as kube-proxy does: with best effort, never in anybody's way.
 * A bounded queue waits for one virtual thread that writes at most {@value #MOST_PER_MINUTE} a minute;
 * what finds no room is counted and forgotten. Thread-safe.
 */
public final class ProxyEvents implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(ProxyEvents.class);
    private static final GroupVersionResource EVENTS =
            new GroupVersionResource("events.k8s.io", "v1", "events");
    /** An Event about something without namespace, such as a Node, is kept here. */
    private static final String CLUSTER_NAMESPACE = "default";

    private static final DateTimeFormatter MICRO_TIME =
            DateTimeFormatter.ofPattern("uuuu-MM-dd'T'HH:mm:ss.SSSSSS'Z'").withZone(ZoneOffset.UTC);
    private static final int QUEUE = 64;
    private static final int MOST_PER_MINUTE = 30;
    private static final int MOST_NOTE = 1024;

    private final KubeClient client;
    private final Clock clock;
    private final String nodeName;
    private final BlockingQueue<ObjectNode> queue = new ArrayBlockingQueue<>(QUEUE);
    private final LongAdder dropped = new LongAdder();
    private final AtomicInteger waiting = new AtomicInteger();
    private final Thread thread;
    private long number;
    private long minute;
    private int thisMinute;

    /** @param client the caller's to close, after this */
    public ProxyEvents(KubeClient client, Clock clock, String nodeName) {
        this.client = client;
        this.clock = clock;
        this.nodeName = nodeName;
        this.thread = Thread.ofVirtual().name("proxy-events").start(this::run);
    }

    /** About the node the proxy runs on. @param type {@code Normal} or {@code Warning} */
    public void onNode(String type, String reason, String note) {
        ObjectNode regarding = Json.object().put("kind", "Node").put("name", nodeName);
        offer(regarding, CLUSTER_NAMESPACE, nodeName, type, reason, "StartKubeProxy", note);
    }

    /** A warning about a Service. */
    public void onService(NamespacedName service, String reason, String action, String note) {
        ObjectNode regarding = Json.object()
                .put("kind", "Service")
                .put("namespace", service.namespace())
                .put("name", service.name())
                .put("apiVersion", "v1");
        offer(regarding, service.namespace(), service.name(), "Warning", reason, action, note);
    }

    /** How many found no room. */
    public long dropped() {
        return dropped.sum();
    }

    /** Waits until all that was told is written or given up. @return whether that was within the time */
    public boolean flush(Duration most) throws InterruptedException {
        synchronized (waiting) {
            long end = System.nanoTime() + most.toNanos();
            long left = most.toNanos();
            while (waiting.get() > 0 && left > 0) {
                TimeUnit.NANOSECONDS.timedWait(waiting, left);
                left = end - System.nanoTime();
            }
            return waiting.get() == 0;
        }
    }

    private synchronized void offer(
            ObjectNode regarding,
            String namespace,
            String name,
            String type,
            String reason,
            String action,
            String note) {
        Instant now = clock.instant();
        if (!takeFromAllowance(now)) {
            dropped.increment();
            return;
        }
        ObjectNode event = Json.object().put("apiVersion", "events.k8s.io/v1").put("kind", "Event");
        // Unique: the time of this process, and a number within it.
        long id = now.toEpochMilli() * 1_000_000 + now.getNano() % 1_000_000;
        event.putObject("metadata")
                .put("namespace", namespace)
                .put("name", name + '.' + Long.toHexString(id + number++));
        event.set("regarding", regarding);
        event.put("eventTime", MICRO_TIME.format(now))
                .put("reportingController", "kube-proxy")
                .put("reportingInstance", "kube-proxy-" + nodeName)
                .put("action", action)
                .put("reason", reason)
                .put("type", type)
                .put("note", note.length() > MOST_NOTE ? note.substring(0, MOST_NOTE) : note);
        waiting.incrementAndGet();
        if (!queue.offer(event)) {
            done();
            dropped.increment();
        }
    }

    private boolean takeFromAllowance(Instant now) {
        long current = now.getEpochSecond() / 60;
        if (current != minute) {
            minute = current;
            thisMinute = 0;
        }
        return thisMinute++ < MOST_PER_MINUTE;
    }

    private void run() {
        try {
            while (true) {
                ObjectNode event = queue.take();
                try {
                    client.create(EVENTS, event);
                } catch (IOException | RuntimeException e) {
                    LOG.info(
                            "event {} about {} was not written: {}",
                            event.path("reason").asText(),
                            event.path("regarding").path("name").asText(),
                            e.getMessage());
                } finally {
                    done();
                }
            }
        } catch (InterruptedException e) {
            LOG.debug("no more events");
        }
    }

    private void done() {
        synchronized (waiting) {
            waiting.decrementAndGet();
            waiting.notifyAll();
        }
    }

    @Override
    public void close() {
        thread.interrupt();
    }
}
