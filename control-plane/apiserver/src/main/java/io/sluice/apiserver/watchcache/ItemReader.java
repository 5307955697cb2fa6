package io.sluice.apiserver.watchcache;

import com.fasterxml.jackson.databind.node.ObjectNode;

import io.sluice.api.object.Json;
import io.sluice.api.object.KubeObject;
import io.sluice.apiserver.registry.Kind;
import io.sluice.store.Store;

import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** From stored bytes to {@link Item}s. Pure. */
public final class ItemReader {
    private final List<Kind> kinds;

    /** @param kinds all that share the storage */
    public ItemReader(List<Kind> kinds) {
        this.kinds = List.copyOf(kinds);
    }

    /** Empty where the stored bytes are no object; such a key is served to nobody. */
    public Optional<Item> read(Store.Entry entry) {
        return read(entry.key(), entry.value(), entry.modRevision());
    }

    /** As above. @param revision what the object's version says; for a deleted object that of its deletion */
    public Optional<Item> read(String key, byte[] stored, long revision) {
        try {
            ObjectNode tree = Json.parseObject(stored);
            KubeObject object = KubeObject.of(tree);
            Map<String, String> labels = object.labels();
            return Optional.of(new Item(
                    key,
                    object.namespace(),
                    object.name(),
                    labels.isEmpty() ? Map.of() : Map.copyOf(labels),
                    fields(tree),
                    StoredJson.withVersion(stored, revision),
                    revision));
        } catch (IOException e) {
            return Optional.empty();
        }
    }

    private Map<String, String> fields(ObjectNode stored) {
        Map<String, String> out = new HashMap<>();
        for (Kind kind : kinds) {
            if (kind.fieldSelectors().isEmpty()) {
                continue;
            }
            ObjectNode object = kind.convert() == Kind.Conversion.NONE
                    ? stored
                    : kind.convert().fromStored(stored.deepCopy());
            kind.fieldSelectors()
                    .forEach((path, value) -> out.putIfAbsent(path, value.apply(object)));
        }
        return out.isEmpty() ? Map.of() : Map.copyOf(out);
    }
}
