package io.sluice.store;

import io.sluice.store.embedded.EmbeddedOptions;
import io.sluice.store.embedded.EmbeddedStore;
import io.sluice.store.twin.TwinStore;

import java.nio.file.Path;

/** How a test gets the store it examines; each contract test runs once for each. */
public enum StoreFactory {
    EMBEDDED {
        @Override
        public Store open(Path directory, long maxBytes) {
            return embedded(directory, EmbeddedOptions.defaults().withMaxBytes(maxBytes));
        }
    },
    /** Every value is read from disk. */
    EMBEDDED_WITHOUT_CACHE {
        @Override
        public Store open(Path directory, long maxBytes) {
            return embedded(
                    directory, EmbeddedOptions.defaults().withMaxBytes(maxBytes).withCacheBytes(0));
        }
    },
    TWIN {
        @Override
        public Store open(Path directory, long maxBytes) {
            return new TwinStore(maxBytes);
        }
    };

    public abstract Store open(Path directory, long maxBytes);

    public Store open(Path directory) {
        return open(directory, 1L << 40);
    }

    public static EmbeddedStore embedded(Path directory, EmbeddedOptions options) {
        return EmbeddedStore.open(
                directory,
                options,
                Thread.ofPlatform().name("store-committer").factory(),
                Thread.ofVirtual().name("store-watch-", 0).factory());
    }
}
