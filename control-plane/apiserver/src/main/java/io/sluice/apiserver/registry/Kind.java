package io.sluice.apiserver.registry;

import com.fasterxml.jackson.databind.node.ObjectNode;

import io.sluice.api.meta.GroupVersionKind;
import io.sluice.api.meta.GroupVersionResource;
import io.sluice.apiserver.schema.Schema;

import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;

/**
 * A kind as the server serves it: adding one of these to the registry adds the kind.
 *
 * @param gvk as objects name it
 * @param resource as paths name it
 * @param verbs of the main resource, in discovery's words
 * @param subresources names served below an object, for instance {@code status}
 * @param storage key prefix, with a slash at the end: {@code /registry/services/specs/}; kinds that share storage
 *     (events) have the same one
 * @param columns of the Table; name and age are listed like the others
 * @param fieldSelectors field path to value for {@code fieldSelector}, beyond metadata.name and metadata.namespace
 * @param convert from another kind in the same storage to this one and the reverse: {@code Conversion.NONE} for most
 */
public record Kind(
        GroupVersionKind gvk,
        GroupVersionResource resource,
        String singular,
        List<String> shortNames,
        List<String> categories,
        boolean namespaced,
        Set<String> verbs,
        Set<String> subresources,
        String storage,
        Schema schema,
        Strategy strategy,
        List<Column> columns,
        Map<String, Function<ObjectNode, String>> fieldSelectors,
        Conversion convert) {

    /** Between the stored form and this kind's form, for kinds that share storage. */
    public interface Conversion {
        Conversion NONE = new Conversion() {};

        default ObjectNode fromStored(ObjectNode stored) {
            return stored;
        }

        default ObjectNode toStored(ObjectNode object) {
            return object;
        }
    }

    public boolean hasStatus() {
        return subresources.contains("status");
    }

    /** Store key of an object. */
    public String key(String namespace, String name) {
        return namespaced ? storage + namespace + '/' + name : storage + name;
    }
}
