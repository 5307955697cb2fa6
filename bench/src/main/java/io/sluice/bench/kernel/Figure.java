package io.sluice.bench.kernel;

/** What the kernel bench takes of each subject at each size; the order is that of the table's rows. */
enum Figure {
    FIRST_SYNC("first sync", "ms"),
    START("start of the process to traffic", "ms"),
    CHANGE_P50("change to traffic, write included, p50", "ms"),
    CHANGE_P99("change to traffic, write included, p99", "ms"),
    FAILED("connections that failed meanwhile", ""),
    RESYNC("all written anew after a flush", "ms"),
    REPAIR("flush to traffic", "ms"),
    RSS_LOADED("resident memory after the first sync", "MB"),
    RSS_AFTER("resident memory after the changes", "MB"),
    CPU_START("CPU of the process until then", "s"),
    CPU_CHANGE("CPU of the process per change", "ms"),
    CHAINS("chains, both families", ""),
    RULES("rules, both families", ""),
    CONNECTIONS("new connections through a Service", "1/s"),
    THROUGHPUT("large transfers through a Service", "GB/s");

    private final String title;
    private final String unit;

    Figure(String title, String unit) {
        this.title = title;
        this.unit = unit;
    }

    String title() {
        return unit.isEmpty() ? title : title + ", " + unit;
    }
}
