package io.sluice.kernel;

import static org.assertj.core.api.Assertions.assertThat;

import jnr.ffi.LibraryLoader;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;

/** Runs code in a network namespace of a thread's own, which ends with the thread. Needs root and iproute2. */
public final class InNamespace {
    private static final int CLONE_NEWNET = 0x40000000;

    private InNamespace() {}

    /** Only tests leave their namespace. */
    public interface Namespaces {
        int unshare(int flags);
    }

    /** What may fail in any way. */
    public interface Body {
        void run() throws Exception;
    }

    public static void run(Body body) throws Exception {
        FutureTask<Void> task = new FutureTask<>(() -> {
            Namespaces c = LibraryLoader.create(Namespaces.class).load("c");
            assertThat(c.unshare(CLONE_NEWNET)).as("unshare, as root").isZero();
            exec("ip", "link", "set", "lo", "up");
            body.run();
            return null;
        });
        Thread.ofPlatform().start(task);
        try {
            task.get();
        } catch (ExecutionException e) {
            if (e.getCause() instanceof AssertionError failure) {
                throw failure;
            }
            throw e;
        }
    }

    /** What a command prints, in the calling thread's namespace; it must succeed. */
    public static String exec(String... command) throws Exception {
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        process.getOutputStream().close();
        String out = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor()).as("%s: %s", List.of(command), out).isZero();
        return out;
    }
}
