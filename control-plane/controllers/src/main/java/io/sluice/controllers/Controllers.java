package io.sluice.controllers;

import io.sluice.api.client.KubeClient;
import io.sluice.controllers.garbage.GarbageCollector;
import io.sluice.controllers.namespace.NamespaceController;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** All controllers of this build. They start once the server has told what it has, which may be later. */
public final class Controllers implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Controllers.class);
    private static final Duration RETRY = Duration.ofSeconds(1);

    private final KubeClient client;
    private final Clock clock;
    private final Thread starter;
    private final List<AutoCloseable> running = new ArrayList<>();
    private boolean closed;

    private Controllers(KubeClient client, Clock clock) {
        this.client = client;
        this.clock = clock;
        this.starter = Thread.ofVirtual().name("controllers").unstarted(this::startAll);
    }

    /** @param client the caller's to close, after this */
    public static Controllers start(KubeClient client, Clock clock) {
        Controllers controllers = new Controllers(client, clock);
        controllers.starter.start();
        return controllers;
    }

    private void startAll() {
        while (true) {
            try {
                List<ApiResource> resources = Discovery.resources(client);
                synchronized (this) {
                    if (!closed) {
                        running.add(new NamespaceController(client, clock, resources));
                        running.add(new GarbageCollector(client, resources));
                    }
                }
                return;
            } catch (IOException e) {
                LOG.info(
                        "controllers: {}; trying again in {} s", e.getMessage(), RETRY.toSeconds());
            }
            try {
                Thread.sleep(RETRY);
            } catch (InterruptedException e) {
                return;
            }
        }
    }

    @Override
    public void close() {
        starter.interrupt();
        synchronized (this) {
            closed = true;
            for (AutoCloseable controller : running.reversed()) {
                try {
                    controller.close();
                } catch (Exception e) {
                    LOG.warn("closing {}: {}", controller.getClass().getSimpleName(), e.toString());
                }
            }
            running.clear();
        }
    }
}
