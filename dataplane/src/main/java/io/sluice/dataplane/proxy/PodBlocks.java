package io.sluice.dataplane.proxy;

import io.sluice.api.client.KubeClient;
import io.sluice.api.client.ListOptions;
import io.sluice.api.client.WatchListener;
import io.sluice.api.meta.GroupVersionResource;
import io.sluice.api.meta.NamespacedName;
import io.sluice.api.model.Node;
import io.sluice.api.model.NodeDecoder;
import io.sluice.api.net.Cidr;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.time.Duration;
import java.util.List;

/**
 * The addresses this node may give its pods, {@code spec.podCIDRs}, as they are now; for {@code detectLocalMode: NodeCIDR}. Any
 * thread may ask; the watch's thread tells.
 */
public final class PodBlocks implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(PodBlocks.class);

    private final String nodeName;
    private final KubeClient.Watch watch;
    private List<Cidr> blocks = List.of();

    /** Begins to follow the node. @param client the caller's to close, after this */
    public PodBlocks(KubeClient client, String nodeName) {
        this.nodeName = nodeName;
        this.watch = client.watch(
                new GroupVersionResource("", "v1", "nodes"),
                new ListOptions("", "", "metadata.name=" + nodeName),
                new NodeDecoder(),
                new Nodes());
    }

    /** As last seen: none before the first are known, and those of before where the node was deleted. */
    public synchronized List<Cidr> now() {
        return blocks;
    }

    /**
     * Waits for the first.
     *
     * @throws IOException if the node has none within the time
     */
    public synchronized List<Cidr> await(Duration most) throws IOException, InterruptedException {
        long end = System.nanoTime() + most.toNanos();
        while (blocks.isEmpty()) {
            long left = (end - System.nanoTime()) / 1_000_000;
            if (left <= 0) {
                throw new IOException(
                        "node " + nodeName + " has no spec.podCIDRs after "
                                + most.toSeconds()
                                + " s, which detectLocalMode NodeCIDR needs; does a controller allocate them?");
            }
            wait(left);
        }
        return blocks;
    }

    private synchronized void set(List<Cidr> found) {
        if (!found.isEmpty()) {
            blocks = List.copyOf(found);
            notifyAll();
        }
    }

    @Override
    public void close() {
        watch.close();
    }

    private final class Nodes implements WatchListener<Node> {
        @Override
        public void onUpsert(Node node) {
            set(node.podCidrs());
        }

        @Override
        public void onDelete(NamespacedName name) {}

        @Override
        public void onSynced() {}

        @Override
        public void onProblem(String problem) {
            LOG.warn("{}", problem);
        }
    }
}
