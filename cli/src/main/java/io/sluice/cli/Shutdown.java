package io.sluice.cli;

import java.util.concurrent.CountDownLatch;

/** Waits for the end that a signal brings, and does what is to be done then. */
final class Shutdown {
    private Shutdown() {}

    /** Returns never: when {@code onEnd} is done the process ends with exit code 0, since it was asked to. */
    static void await(Runnable onEnd) throws InterruptedException {
        onEnd(onEnd);
        new CountDownLatch(1).await();
    }

    /**
     * Does that first when a signal asks for the end, which then comes with exit code 0.
     *
     * @return to be run before the process ends by itself, with a code of its own
     */
    static Runnable onEnd(Runnable task) {
        Thread hook = new Thread(
                () -> {
                    task.run();
                    Runtime.getRuntime().halt(0);
                },
                "shutdown");
        Runtime.getRuntime().addShutdownHook(hook);
        return () -> {
            try {
                Runtime.getRuntime().removeShutdownHook(hook);
            } catch (IllegalStateException e) {
                // The signal came first: the end is under way, with its code.
            }
        };
    }
}
