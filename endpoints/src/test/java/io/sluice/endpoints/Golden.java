package io.sluice.endpoints;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/** Expected texts in files; {@code -Dgolden.update=true} writes them anew, and the difference is to be read before it is committed. */
final class Golden {
    static final boolean UPDATE = Boolean.getBoolean("golden.update");
    private static final Path ROOT = Path.of("src", "test", "golden");

    private Golden() {}

    /** Files of a folder that end so, without the ending, sorted. */
    static List<String> names(String folder, String ending) {
        try (Stream<Path> files = Files.list(ROOT.resolve(folder))) {
            return files.map(file -> file.getFileName().toString())
                    .filter(name -> name.endsWith(ending))
                    .map(name -> name.substring(0, name.length() - ending.length()))
                    .sorted()
                    .toList();
        } catch (IOException e) {
            throw new UncheckedIOException("listing golden files of " + folder, e);
        }
    }

    static String read(String file) {
        try {
            return Files.readString(ROOT.resolve(file));
        } catch (IOException e) {
            throw new UncheckedIOException("reading golden file " + file, e);
        }
    }

    static void write(String file, String text) {
        try {
            Files.writeString(ROOT.resolve(file), text);
        } catch (IOException e) {
            throw new UncheckedIOException("writing golden file " + file, e);
        }
    }
}
