package io.sluice.kernel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.sluice.api.net.Cidr;

import jnr.ffi.LibraryLoader;

import org.junit.jupiter.api.Test;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicInteger;

/** Routes and address changes in a network namespace of a thread's own, which ends with the thread. Needs root and iproute2. */
class RouteNetlinkIT {
    private static final int CLONE_NEWNET = 0x40000000;

    /** Only tests leave their namespace. */
    public interface Namespaces {
        int unshare(int flags);
    }

    private static void inNewNamespace(Callable<Void> body) throws Exception {
        FutureTask<Void> task = new FutureTask<>(() -> {
            Namespaces c = LibraryLoader.create(Namespaces.class).load("c");
            assertThat(c.unshare(CLONE_NEWNET)).as("unshare, as root").isZero();
            ip("link", "set", "lo", "up");
            return body.call();
        });
        Thread.ofPlatform().start(task);
        task.get();
    }

    private static String ip(String... words) throws Exception {
        List<String> command = new ArrayList<>(List.of("ip"));
        command.addAll(List.of(words));
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        String out = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor()).as("%s: %s", command, out).isZero();
        return out;
    }

    @Test
    void localRoutesComeAndGoAndTwiceIsFine() throws Exception {
        inNewNamespace(() -> {
            for (String block : List.of("198.51.100.64/28", "198.51.100.9/32")) {
                RouteNetlink.addLocal(Cidr.of(block));
                RouteNetlink.addLocal(Cidr.of(block));
                String shown = block.replace("/32", "");
                assertThat(ip("route", "show", "table", "local", "type", "local"))
                        .contains("local " + shown + " dev lo");
                RouteNetlink.deleteLocal(Cidr.of(block));
                RouteNetlink.deleteLocal(Cidr.of(block));
                assertThat(ip("route", "show", "table", "local")).doesNotContain(shown);
            }
            RouteNetlink.addLocal(Cidr.of("2001:db8:1::/64"));
            assertThat(ip("-6", "route", "show", "table", "local"))
                    .contains("local 2001:db8:1::/64 dev lo");
            RouteNetlink.deleteLocal(Cidr.of("2001:db8:1::/64"));
            assertThat(ip("-6", "route", "show", "table", "local")).doesNotContain("2001:db8:1::");
            return null;
        });
    }

    @Test
    void anInterfaceKeepsItsOwnEntry() throws Exception {
        inNewNamespace(() -> {
            ip("link", "add", "d0", "type", "veth", "peer", "name", "d1");
            ip("link", "set", "d0", "up");
            ip("addr", "add", "198.51.100.9/32", "dev", "d0");
            RouteNetlink.addLocal(Cidr.of("198.51.100.9/32"));
            RouteNetlink.deleteLocal(Cidr.of("198.51.100.9/32"));
            assertThat(ip("route", "show", "table", "local")).contains("local 198.51.100.9 dev d0");
            return null;
        });
    }

    @Test
    void addressChangesAreTold() throws Exception {
        inNewNamespace(() -> {
            AtomicInteger told = new AtomicInteger();
            AddressMonitor monitor = AddressMonitor.start(told::incrementAndGet);
            ip("addr", "add", "198.51.100.9/32", "dev", "lo");
            await().until(() -> told.get() > 0);
            int before = told.get();
            ip("addr", "del", "198.51.100.9/32", "dev", "lo");
            await().until(() -> told.get() > before);
            int after = told.get();
            ip("addr", "add", "2001:db8::9/128", "dev", "lo", "nodad");
            await().until(() -> told.get() > after);
            monitor.close();
            return null;
        });
    }
}
