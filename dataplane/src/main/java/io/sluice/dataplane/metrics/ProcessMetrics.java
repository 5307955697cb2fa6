package io.sluice.dataplane.metrics;

import io.prometheus.metrics.core.metrics.CounterWithCallback;
import io.prometheus.metrics.core.metrics.GaugeWithCallback;
import io.prometheus.metrics.model.registry.PrometheusRegistry;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;

/** The {@code process_*} metrics every Prometheus client has, and the heap. */
final class ProcessMetrics {
    private ProcessMetrics() {}

    static void register(PrometheusRegistry registry) {
        CounterWithCallback.builder()
                .name("process_cpu_seconds_total")
                .help("User and system CPU seconds")
                .callback(callback -> callback.call(ProcessHandle.current()
                        .info()
                        .totalCpuDuration()
                        .map(duration -> duration.toNanos() / 1e9)
                        .orElse(0.0)))
                .register(registry);
        gauge(
                registry,
                "process_resident_memory_bytes",
                "Resident memory",
                () -> status("VmRSS:") * 1024.0);
        gauge(
                registry,
                "process_virtual_memory_bytes",
                "Virtual memory",
                () -> status("VmSize:") * 1024.0);
        gauge(registry, "process_open_fds", "Open descriptors", ProcessMetrics::openDescriptors);
        double start = ManagementFactory.getRuntimeMXBean().getStartTime() / 1e3;
        gauge(registry, "process_start_time_seconds", "When the process started", () -> start);
        gauge(registry, "jvm_threads_current", "Platform threads", () ->
                (double) ManagementFactory.getThreadMXBean().getThreadCount());
        gauge(registry, "jvm_heap_used_bytes", "Heap in use", () -> (double)
                ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed());
    }

    private static void gauge(
            PrometheusRegistry registry,
            String name,
            String help,
            java.util.function.DoubleSupplier value) {
        GaugeWithCallback.builder()
                .name(name)
                .help(help)
                .callback(callback -> callback.call(value.getAsDouble()))
                .register(registry);
    }

    private static long status(String field) {
        try {
            for (String line : Files.readAllLines(Path.of("/proc/self/status"))) {
                if (line.startsWith(field)) {
                    return Long.parseLong(line.replaceAll("\\D", ""));
                }
            }
        } catch (IOException e) {
            return 0; // /proc is hidden: the figure is unknown
        }
        return 0;
    }

    private static double openDescriptors() {
        try (DirectoryStream<Path> entries = Files.newDirectoryStream(Path.of("/proc/self/fd"))) {
            int count = 0;
            for (Path entry : entries) {
                count++;
            }
            return count;
        } catch (IOException e) {
            return 0;
        }
    }
}
