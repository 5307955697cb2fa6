package io.sluice.api.client;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

import io.sluice.api.meta.GroupVersionResource;
import io.sluice.api.meta.NamespacedName;
import io.sluice.api.model.ObjectDecoder;

import java.io.IOException;
import java.util.List;

/**
 * The API server, for components. Calls block (use virtual threads) and may come from any thread. Every call throws
 * {@link ApiStatusException} where the server refuses, and another {@link IOException} where it cannot be reached. Answers 429 and
 * 503 with {@code Retry-After} are retried a few times, as are failed connects.
 */
public interface KubeClient extends AutoCloseable {

    /** Connects by the configuration; nothing is sent before the first call. */
    static KubeClient of(ClientConfig config) {
        return new HttpKubeClient(config, WatchPace.USUAL);
    }

    ObjectNode get(GroupVersionResource resource, NamespacedName name) throws IOException;

    /** All pages. */
    List<ObjectNode> list(GroupVersionResource resource, ListOptions options) throws IOException;

    /** Creates in the object's namespace. */
    ObjectNode create(GroupVersionResource resource, ObjectNode object) throws IOException;

    /** Replaces; {@code subresource} is empty for the object itself. */
    ObjectNode update(GroupVersionResource resource, ObjectNode object, String subresource)
            throws IOException;

    /** Patches; {@code subresource} is empty for the object itself. */
    ObjectNode patch(
            GroupVersionResource resource,
            NamespacedName name,
            String subresource,
            PatchType type,
            JsonNode patch)
            throws IOException;

    /** @param options a DeleteOptions object; an empty one for defaults */
    void delete(GroupVersionResource resource, NamespacedName name, ObjectNode options)
            throws IOException;

    /** Any request; a refusal comes back as a response, not as an exception. @param path with query @param body empty for none */
    Response raw(String method, String path, String contentType, byte[] body) throws IOException;

    /**
     * Starts to follow a collection, on a virtual thread of its own, until the watch is closed. It survives everything the server
     * or the network does.
     *
     * @param decoder used by this watch alone
     */
    <T> Watch watch(
            GroupVersionResource resource,
            ListOptions options,
            ObjectDecoder<T> decoder,
            WatchListener<T> listener);

    /** Ends watches and connections. */
    @Override
    void close();

    /** What a raw request got. */
    record Response(int code, String contentType, byte[] body) {}

    /** A running watch. */
    interface Watch extends AutoCloseable {
        /**
         * Waits for a call to the listener under way, after interrupting it; none starts after this returns. From the listener
         * itself it returns at once.
         */
        @Override
        void close();
    }
}
