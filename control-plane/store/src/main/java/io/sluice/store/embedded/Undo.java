package io.sluice.store.embedded;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.util.ArrayDeque;
import java.util.Deque;

/** Closes what was opened so far, last first, unless all went well. */
final class Undo implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Undo.class);

    private final Deque<AutoCloseable> opened = new ArrayDeque<>();

    <T extends AutoCloseable> T add(T resource) {
        opened.push(resource);
        return resource;
    }

    void keep() {
        opened.clear();
    }

    @Override
    public void close() {
        for (AutoCloseable resource : opened) {
            try {
                resource.close();
            } catch (Exception e) { // the interface's; the first error is the one to report
                LOG.warn(
                        "closing {} after a failed opening failed too: {}",
                        resource,
                        e.getMessage());
            }
        }
    }
}
