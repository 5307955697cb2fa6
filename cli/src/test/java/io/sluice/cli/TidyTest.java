package io.sluice.cli;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** Reads the tree once: no leftovers, a description for each package, no file without end. */
class TidyTest {
    private static final int LONGEST_FILE = 700;
    /** Where the formatter does not break texts, a line may be longer than its aim of 100. */
    private static final int LONGEST_LINE = 160;

    private static final Pattern LEFTOVER = Pattern.compile("\\b(TODO|FIXME|XXX|HACK)\\b");
    private static final Pattern MACHINE_PATH = Pattern.compile("/work/|/root/|/home/[a-z]");

    private static Path top() {
        Path dir = Path.of("").toAbsolutePath();
        while (!Files.exists(dir.resolve("sluice"))) {
            dir = dir.getParent();
        }
        return dir;
    }

    private static List<Path> files(String ending) throws IOException {
        try (Stream<Path> all = Files.walk(top())) {
            return all.filter(file -> file.toString().endsWith(ending))
                    .filter(file -> !file.toString().contains("/target/"))
                    .filter(file -> !file.toString().contains("/.git/"))
                    .toList();
        }
    }

    @Test
    void sourcesHaveNoLeftoversAndFitTheScreen() throws IOException {
        List<String> problems = new ArrayList<>();
        for (Path file : files(".java")) {
            List<String> lines = Files.readAllLines(file);
            Path name = top().relativize(file);
            if (lines.size() > LONGEST_FILE) {
                problems.add(name + " has " + lines.size() + " lines");
            }
            boolean self = file.endsWith("TidyTest.java");
            for (int i = 0; i < lines.size() && !self; i++) {
                String line = lines.get(i);
                // Tables in tests keep one row a line.
                if (line.length() > LONGEST_LINE && file.toString().contains("/src/main/")) {
                    problems.add(name + ":" + (i + 1) + " is " + line.length() + " wide");
                }
                if (LEFTOVER.matcher(line).find() || MACHINE_PATH.matcher(line).find()) {
                    problems.add(name + ":" + (i + 1) + " " + line.strip());
                }
            }
        }
        assertThat(problems).isEmpty();
    }

    @Test
    void everyPackageSaysWhatItIs() throws IOException {
        List<Path> silent = files(".java").stream()
                .filter(file -> file.toString().contains("/src/main/java/"))
                .map(Path::getParent)
                .distinct()
                .filter(dir -> !Files.exists(dir.resolve("package-info.java")))
                .toList();
        assertThat(silent).isEmpty();
    }

    @Test
    void everyModuleHasAReadme() throws IOException {
        List<Path> silent = files("pom.xml").stream()
                .map(Path::getParent)
                .filter(dir -> Files.isDirectory(dir.resolve("src")) || dir.equals(top()))
                .filter(dir -> !Files.exists(dir.resolve("README.md")))
                .toList();
        assertThat(silent).isEmpty();
    }
}
