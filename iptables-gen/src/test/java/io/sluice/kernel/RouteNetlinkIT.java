package io.sluice.kernel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.sluice.api.net.Cidr;

import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

/** Routes and address changes in a network namespace of a thread's own, which ends with the thread. Needs root and iproute2. */
class RouteNetlinkIT {
    private static String ip(String... words) throws Exception {
        List<String> command = new ArrayList<>(List.of("ip"));
        command.addAll(List.of(words));
        return InNamespace.exec(command.toArray(String[]::new));
    }

    @Test
    void localRoutesComeAndGoAndTwiceIsFine() throws Exception {
        InNamespace.run(() -> {
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
        });
    }

    @Test
    void anInterfaceKeepsItsOwnEntry() throws Exception {
        InNamespace.run(() -> {
            ip("link", "add", "d0", "type", "veth", "peer", "name", "d1");
            ip("link", "set", "d0", "up");
            ip("addr", "add", "198.51.100.9/32", "dev", "d0");
            RouteNetlink.addLocal(Cidr.of("198.51.100.9/32"));
            RouteNetlink.deleteLocal(Cidr.of("198.51.100.9/32"));
            assertThat(ip("route", "show", "table", "local")).contains("local 198.51.100.9 dev d0");
        });
    }

    @Test
    void addressChangesAreTold() throws Exception {
        InNamespace.run(() -> {
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
        });
    }
}
