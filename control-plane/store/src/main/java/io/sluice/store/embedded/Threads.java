package io.sluice.store.embedded;

/** Waiting for a thread that is certain to end. */
final class Threads {
    private Threads() {}

    /** Waits for the end even when interrupted, and says whether it was. */
    static boolean join(Thread thread) {
        boolean interrupted = false;
        while (true) {
            try {
                thread.join();
                return interrupted;
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
    }
}
