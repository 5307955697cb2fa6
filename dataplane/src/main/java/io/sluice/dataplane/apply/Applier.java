package io.sluice.dataplane.apply;

import io.sluice.api.net.Cidr;
import io.sluice.api.net.IpAddress;
import io.sluice.endpoints.NodeView;
import io.sluice.endpoints.ProxyDelta;
import io.sluice.endpoints.ProxyImage;

import java.time.Duration;
import java.util.Collection;
import java.util.List;

/** Makes the node carry an image. Called by one thread, the conductor's. */
public interface Applier extends AutoCloseable {

    /**
     * Goes from the last image to this one. When it returns, every new connection is decided by the new image; open ones go on. What
     * could not be done is tried again at the next call, also one with an empty delta.
     *
     * @param delta from the image of the last call that returned; from nothing at the first
     * @return what is not in place, one text per object: what was tried, on what, what was found; empty when all is
     */
    List<String> apply(ProxyImage image, ProxyDelta delta);

    /**
     * The node's own addresses or its view changed; takes effect like {@link #apply}.
     *
     * @param interfaceAddresses all addresses of the node's interfaces
     */
    List<String> onNode(NodeView node, Collection<IpAddress> interfaceAddresses);

    /**
     * The blocks out of which cluster IPs come changed; takes effect like {@link #apply}. A mode that treats addresses without Service
     * like any other has nothing to do.
     *
     * @param ranges sorted; empty while nothing is known
     */
    default List<String> onServiceRanges(List<Cidr> ranges) {
        return List.of();
    }

    /** Takes no new connections, waits until open ones end, at most so long, then ends the rest. */
    void drain(Duration deadline);

    @Override
    void close();
}
