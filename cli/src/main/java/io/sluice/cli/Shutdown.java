package io.sluice.cli;

import java.util.concurrent.CountDownLatch;

/** Waits for the end that a signal brings, and does what is to be done then. */
final class Shutdown {
    private Shutdown() {}

    /** Returns never: when {@code onEnd} is done the process ends with exit code 0, since it was asked to. */
    static void await(Runnable onEnd) throws InterruptedException {
        Runtime.getRuntime()
                .addShutdownHook(new Thread(
                        () -> {
                            onEnd.run();
                            Runtime.getRuntime().halt(0);
                        },
                        "shutdown"));
        new CountDownLatch(1).await();
    }
}
