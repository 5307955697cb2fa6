package io.sluice.endpoints;

import static io.sluice.endpoints.ASlice.named;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.api.meta.NamespacedName;

import org.junit.jupiter.api.Test;

/** Whose slices are whose. */
class SliceTrackerTest {
    private static final NamespacedName WEB = new NamespacedName("shop", "web");
    private static final NamespacedName API = new NamespacedName("shop", "api");

    private final SliceTracker slices = new SliceTracker();

    @Test
    void saysWhomAChangeTouches() {
        assertThat(slices.put(named("s").ready("10.244.1.1").build())).containsExactly(WEB);
        assertThat(slices.put(named("s").ready("10.244.1.1").build())).isEmpty();
        assertThat(slices.put(named("s").of("api").ready("10.244.1.1").build()))
                .containsExactly(WEB, API);
        assertThat(slices.of(WEB)).isEmpty();
        assertThat(slices.of(API)).hasSize(1);
        assertThat(slices.put(named("s").of("").ready("10.244.1.1").build())).containsExactly(API);
        assertThat(slices.remove(new NamespacedName("shop", "s"))).isEmpty();
        assertThat(slices.size()).isZero();
    }

    @Test
    void aSliceWithoutServiceIsIgnored() {
        assertThat(slices.put(named("s").of("").ready("10.244.1.1").build())).isEmpty();
        assertThat(slices.size()).isZero();
    }

    @Test
    void newPortsAndLabelsAreChanges() {
        slices.put(named("s").ready("10.244.1.1").build());

        assertThat(slices.put(named("s").http().ready("10.244.1.1").build())).hasSize(1);
        assertThat(slices.put(named("s").http().headless().ready("10.244.1.1").build()))
                .hasSize(1);
    }
}
