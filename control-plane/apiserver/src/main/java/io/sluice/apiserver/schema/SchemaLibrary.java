package io.sluice.apiserver.schema;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The types of the built-in API, from the tables beside this class. A table is read when the first of its types is asked for; types
 * are built once and shared. Thread-safe.
 *
 * <p>A table is one file per group and version. Its first line is {@code package} and the prefix of its types' OpenAPI names; a line
 * without indent starts a type; each indented line is a field: name, type, flags.
 *
 * <p>Types: {@code string bool int32 int64 double quantity intOrString time microTime bytes any}, {@code []T}, {@code map:T}, a type of
 * the same table, or {@code core.ObjectReference} for a type of the table {@code core-v1}. Flags: {@code !} required,
 * {@code =value} default, {@code ~}
 * zero means absent, <code>{A|B}</code> known texts, {@code merge} or {@code merge:key} and {@code retainKeys} for strategic
 * merge, {@code set} or {@code map:key,key} for server-side apply, {@code atomic}.
 */
public final class SchemaLibrary {
    private static final SchemaLibrary SHARED = new SchemaLibrary();

    private final Map<String, SchemaTable> tables = new ConcurrentHashMap<>();

    private SchemaLibrary() {}

    /** The library of everything built in. */
    public static SchemaLibrary shared() {
        return SHARED;
    }

    /**
     * One type.
     *
     * @param table file name without its suffix: {@code core-v1}
     * @throws IllegalArgumentException if there is no such table or type
     */
    public synchronized Schema.Struct struct(String table, String type) {
        return table(table).struct(type);
    }

    SchemaTable table(String name) {
        SchemaTable known = tables.get(name);
        if (known != null) {
            return known;
        }
        SchemaTable read = new SchemaTable(name, read(name), this);
        tables.put(name, read);
        return read;
    }

    private static String read(String name) {
        try (InputStream in = SchemaLibrary.class.getResourceAsStream(name + ".schema")) {
            if (in == null) {
                throw new IllegalArgumentException("there is no schema table " + name);
            }
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException("schema table " + name + " cannot be read", e);
        }
    }
}
