package io.sluice.endpoints;

import io.sluice.api.meta.NamespacedName;

import java.util.AbstractCollection;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * {@link ProxyImage} as {@value #BUCKETS} buckets of Services. A new image copies the bucket array (4 KB) and the buckets of changed
 * Services, and shares all others: at 10,000 Services a change copies about 1,024 references and one map of ten.
 */
final class BucketImage implements ProxyImage {
    private static final int BUCKETS = 1024;

    static final BucketImage EMPTY = new BucketImage(emptyBuckets());

    private final Map<NamespacedName, List<ServicePortImage>>[] buckets;

    private BucketImage(Map<NamespacedName, List<ServicePortImage>>[] buckets) {
        this.buckets = buckets;
    }

    @SuppressWarnings({"unchecked", "rawtypes"
    }) // an array of a generic type can be made no other way
    private static Map<NamespacedName, List<ServicePortImage>>[] emptyBuckets() {
        Map[] out = new Map[BUCKETS];
        Arrays.fill(out, Map.of());
        return out;
    }

    private static int bucket(NamespacedName service) {
        int hash = service.hashCode();
        return (hash ^ hash >>> 16) & BUCKETS - 1;
    }

    List<ServicePortImage> service(NamespacedName service) {
        return buckets[bucket(service)].getOrDefault(service, List.of());
    }

    /** An image in which these Services have these ports; no ports removes the Service. */
    BucketImage with(Map<NamespacedName, List<ServicePortImage>> changes) {
        if (changes.isEmpty()) {
            return this;
        }
        Map<NamespacedName, List<ServicePortImage>>[] copy = buckets.clone();
        boolean[] fresh = new boolean[BUCKETS];
        changes.forEach((service, ports) -> {
            int index = bucket(service);
            if (!fresh[index]) {
                copy[index] = new HashMap<>(copy[index]);
                fresh[index] = true;
            }
            if (ports.isEmpty()) {
                copy[index].remove(service);
            } else {
                copy[index].put(service, ports);
            }
        });
        return new BucketImage(copy);
    }

    @Override
    public Optional<ServicePortImage> find(ServicePortName name) {
        return service(name.service()).stream()
                .filter(port -> port.name().equals(name))
                .findFirst();
    }

    @Override
    public Collection<ServicePortImage> ports() {
        return new AbstractCollection<>() {
            @Override
            public Iterator<ServicePortImage> iterator() {
                return Arrays.stream(buckets)
                        .flatMap(bucket -> bucket.values().stream())
                        .flatMap(List::stream)
                        .iterator();
            }

            @Override
            public int size() {
                return Arrays.stream(buckets)
                        .flatMap(bucket -> bucket.values().stream())
                        .mapToInt(List::size)
                        .sum();
            }
        };
    }
}
