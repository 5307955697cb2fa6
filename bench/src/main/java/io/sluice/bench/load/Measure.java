package io.sluice.bench.load;

/** What the load bench measures; the order is the order of the table's columns. */
enum Measure {
    THROUGHPUT("large transfers", "GB/s", true),
    CPU_PER_GB("proxy CPU per GB", "s", false),
    REQUESTS("keep-alive requests", "1/s", true),
    REQUEST_P50("request p50", "ms", false),
    REQUEST_P99("request p99", "ms", false),
    CPU_PER_100K_REQUESTS("proxy CPU per 100k requests", "s", false),
    CONNECTIONS("new connections", "1/s", true),
    CONNECTION_P50("connection p50", "ms", false),
    CONNECTION_P99("connection p99", "ms", false),
    CPU_PER_100K_CONNECTIONS("proxy CPU per 100k connections", "s", false),
    RSS("resident memory after load", "MB", false),
    START_UP("start to first answer", "ms", false);

    private final String title;
    private final String unit;
    private final boolean moreIsBetter;

    Measure(String title, String unit, boolean moreIsBetter) {
        this.title = title;
        this.unit = unit;
        this.moreIsBetter = moreIsBetter;
    }

    String title() {
        return title;
    }

    String unit() {
        return unit;
    }

    boolean moreIsBetter() {
        return moreIsBetter;
    }
}
