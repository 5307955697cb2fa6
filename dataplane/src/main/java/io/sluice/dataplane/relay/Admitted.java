package io.sluice.dataplane.relay;

import io.sluice.api.net.IpAddress;
import io.sluice.endpoints.Backend;

import java.util.List;
import java.util.function.Supplier;

/**
 * A client that may connect.
 *
 * @param order whom to ask first
 * @param again whom to ask after that, as things are then: between two attempts endpoints come and go; empty when nobody may any more
 */
record Admitted(
        ServiceRuntime runtime,
        IpAddress peer,
        int affinitySeconds,
        List<Backend> order,
        Supplier<List<Backend>> again) {}
