package io.sluice.controllers.queue;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.util.Optional;

/** One virtual thread that works a queue off. */
public final class Worker<K> implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Worker.class);

    private final String name;
    private final WorkQueue<K> queue;
    private final Task<K> task;
    private final Thread thread;

    /** Brings one thing to where it should be; the same call again does no harm. */
    @FunctionalInterface
    public interface Task<K> {
        /** @throws IOException if the API server refused or was away: the key comes back later */
        void run(K key) throws IOException;
    }

    public Worker(String name, WorkQueue<K> queue, Task<K> task) {
        this.name = name;
        this.queue = queue;
        this.task = task;
        this.thread = Thread.ofVirtual().name(name).start(this::loop);
    }

    private void loop() {
        try {
            Optional<K> key = queue.take();
            while (key.isPresent()) {
                queue.done(key.get(), attempt(key.get()));
                key = queue.take();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private boolean attempt(K key) {
        try {
            task.run(key);
            return true;
        } catch (IOException e) {
            LOG.info("{}: {}: {}; trying again", name, key, e.getMessage());
        } catch (RuntimeException e) {
            LOG.error("{}: {}: failed inside: {}; trying again", name, key, e.toString(), e);
        }
        return false;
    }

    @Override
    public void close() {
        queue.close();
        thread.interrupt();
    }
}
