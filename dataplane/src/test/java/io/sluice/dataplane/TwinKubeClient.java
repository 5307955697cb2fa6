package io.sluice.dataplane;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

import io.sluice.api.client.ApiStatusException;
import io.sluice.api.client.KubeClient;
import io.sluice.api.client.ListOptions;
import io.sluice.api.client.PatchType;
import io.sluice.api.client.WatchListener;
import io.sluice.api.meta.GroupVersionResource;
import io.sluice.api.meta.NamespacedName;
import io.sluice.api.model.ObjectDecoder;
import io.sluice.api.object.Json;
import io.sluice.api.object.KubeObject;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * An API server in memory, as far as the proxy needs one: objects that were put are told to watches,
 * created ones are kept. Selectors are remembered, not applied.
 */
public final class TwinKubeClient implements KubeClient {
    private final Map<String, Map<NamespacedName, ObjectNode>> objects = new LinkedHashMap<>();
    private final Map<String, Following<?>> watches = new LinkedHashMap<>();
    private final Map<String, ListOptions> options = new LinkedHashMap<>();
    private final List<ObjectNode> created = new ArrayList<>();
    private String refusal = "";

    private record Following<T>(ObjectDecoder<T> decoder, WatchListener<T> listener) {
        void upsert(ObjectNode object) {
            try (JsonParser parser = Json.parser(Json.bytes(object))) {
                parser.nextToken();
                decoder.decode(parser, listener::onProblem)
                        .ifPresent(decoded -> listener.onUpsert(decoded.value()));
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }

    /** Adds or replaces. @param resource plural */
    public synchronized void put(String resource, String json) throws IOException {
        ObjectNode object = Json.parseObject(json);
        NamespacedName name = KubeObject.of(object).id();
        objects.computeIfAbsent(resource, key -> new LinkedHashMap<>()).put(name, object);
        Following<?> following = watches.get(resource);
        if (following != null) {
            following.upsert(object);
        }
    }

    public synchronized void delete(String resource, NamespacedName name) {
        objects.get(resource).remove(name);
        watches.get(resource).listener().onDelete(name);
    }

    /** Creates are refused from now on; with an empty text they are taken again. */
    public synchronized void refuse(String message) {
        refusal = message;
    }

    public synchronized List<ObjectNode> created() {
        return List.copyOf(created);
    }

    public synchronized ListOptions optionsOf(String resource) {
        return options.get(resource);
    }

    @Override
    public synchronized ObjectNode create(GroupVersionResource resource, ObjectNode object)
            throws IOException {
        if (!refusal.isEmpty()) {
            throw new ApiStatusException(403, "Forbidden", refusal, 0);
        }
        created.add(object.deepCopy());
        return object;
    }

    @Override
    public synchronized <T> Watch watch(
            GroupVersionResource resource,
            ListOptions selectors,
            ObjectDecoder<T> decoder,
            WatchListener<T> listener) {
        Following<T> following = new Following<>(decoder, listener);
        watches.put(resource.resource(), following);
        options.put(resource.resource(), selectors);
        objects.getOrDefault(resource.resource(), Map.of()).values().forEach(following::upsert);
        listener.onSynced();
        return () -> forget(resource.resource());
    }

    private synchronized void forget(String resource) {
        watches.remove(resource);
    }

    public synchronized int watches() {
        return watches.size();
    }

    @Override
    public ObjectNode get(GroupVersionResource resource, NamespacedName name) {
        throw new UnsupportedOperationException("the proxy watches, it does not get");
    }

    @Override
    public List<ObjectNode> list(GroupVersionResource resource, ListOptions selectors) {
        throw new UnsupportedOperationException("the proxy watches, it does not list");
    }

    @Override
    public ObjectNode update(GroupVersionResource resource, ObjectNode object, String subresource) {
        throw new UnsupportedOperationException("the proxy does not update");
    }

    @Override
    public ObjectNode patch(
            GroupVersionResource resource,
            NamespacedName name,
            String subresource,
            PatchType type,
            JsonNode patch) {
        throw new UnsupportedOperationException("the proxy does not patch");
    }

    @Override
    public void delete(GroupVersionResource resource, NamespacedName name, ObjectNode with) {
        throw new UnsupportedOperationException("the proxy does not delete");
    }

    @Override
    public Response raw(String method, String path, String contentType, byte[] body) {
        throw new UnsupportedOperationException("the proxy sends no raw requests");
    }

    @Override
    public void close() {}
}
