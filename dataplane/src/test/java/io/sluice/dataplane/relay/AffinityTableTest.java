package io.sluice.dataplane.relay;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.api.net.IpAddress;
import io.sluice.api.net.IpFamily;
import io.sluice.endpoints.Backend;

import org.junit.jupiter.api.Test;

import java.util.List;
import java.util.concurrent.atomic.AtomicLong;

class AffinityTableTest {
    private static final long SECOND = 1_000_000_000L;
    private static final IpAddress CLIENT = IpAddress.of("10.0.0.1");

    private final AtomicLong clock = new AtomicLong(Long.MAX_VALUE - SECOND); // it wraps
    private final AffinityTable table = new AffinityTable(clock::get);
    private final Backend a = backend("10.1.0.1");
    private final Backend b = backend("10.1.0.2");

    private static Backend backend(String address) {
        return new Backend(IpAddress.of(address), 80, false);
    }

    @Test
    void clientsStayUntilTheTimeSinceTheirLastConnectionIsOver() {
        table.remember(CLIENT, a, 10);
        clock.addAndGet(9 * SECOND);
        assertThat(table.find(CLIENT, List.of(b, a), 10)).contains(a);
        table.remember(CLIENT, a, 10);
        clock.addAndGet(9 * SECOND);
        assertThat(table.find(CLIENT, List.of(b, a), 10)).contains(a);
        clock.addAndGet(SECOND);
        assertThat(table.find(CLIENT, List.of(b, a), 10)).isEmpty();
    }

    /** kubernetes/kubernetes 110302: the list of now decides. */
    @Test
    void anEndpointThatIsNoCandidateLosesItsClients() {
        table.remember(CLIENT, a, 10);
        assertThat(table.find(CLIENT, List.of(b), 10)).isEmpty();
        assertThat(table.find(IpAddress.of("10.0.0.2"), List.of(a, b), 10)).isEmpty();
    }

    @Test
    void aFullTableForgetsTheExpiredFirstAndTakesNobodyElse() {
        for (int i = 0; i < 70_000; i++) {
            table.remember(new IpAddress(IpFamily.IPV4, 0, i), a, 10);
        }
        int full = table.size();
        assertThat(full).isLessThanOrEqualTo(65_536);
        table.remember(CLIENT, b, 10);
        assertThat(table.find(CLIENT, List.of(a, b), 10)).isEmpty();
        assertThat(table.size()).isEqualTo(full);
        clock.addAndGet(11 * SECOND);
        table.remember(CLIENT, b, 10);
        assertThat(table.find(CLIENT, List.of(a, b), 10)).contains(b);
        assertThat(table.size()).isEqualTo(1);
    }
}
