package io.sluice.apiserver;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/** Files with expected output, below {@code src/test/golden}; {@code -Dgolden.update=true} rewrites them, then read the diff. */
public final class Golden {
    private static final Path ROOT = Path.of("src/test/golden");

    private Golden() {}

    /** Names of a folder's inputs, without {@code .in.yaml}. */
    public static List<String> inputs(String folder) {
        try (Stream<Path> files = Files.list(ROOT.resolve(folder))) {
            return files.map(file -> file.getFileName().toString())
                    .filter(name -> name.endsWith(".in.yaml"))
                    .map(name -> name.substring(0, name.length() - ".in.yaml".length()))
                    .sorted()
                    .toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    public static String read(String file) {
        try {
            return Files.readString(ROOT.resolve(file));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    public static void check(String file, String actual) {
        if (Boolean.getBoolean("golden.update")) {
            try {
                Files.writeString(ROOT.resolve(file), actual);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
        assertThat(actual).as(file).isEqualTo(read(file));
    }
}
