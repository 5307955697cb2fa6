package io.sluice.endpoints;

import java.util.Collection;
import java.util.Optional;

/** The complete, immutable state a node's dataplane must carry; images share what did not change. */
public interface ProxyImage {

    Optional<ServicePortImage> find(ServicePortName name);

    /** All Service ports of both families, in no order. */
    Collection<ServicePortImage> ports();
}
