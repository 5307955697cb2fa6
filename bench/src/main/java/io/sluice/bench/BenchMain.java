package io.sluice.bench;

import io.sluice.bench.kernel.KernelBench;
import io.sluice.bench.load.LoadBench;
import io.sluice.bench.micro.MicroBench;
import io.sluice.bench.scale.ScaleBench;
import io.sluice.bench.store.StoreTrial;

import java.util.Arrays;

/** {@code sluice bench NAME [OPTIONS]}. */
public final class BenchMain {
    private BenchMain() {}

    public static void main(String[] args) throws Exception {
        String name = args.length == 0 ? "" : args[0];
        String[] rest = args.length == 0 ? args : Arrays.copyOfRange(args, 1, args.length);
        switch (name) {
            case "load" -> LoadBench.main(rest);
            case "store" -> StoreTrial.main(rest);
            case "scale" -> ScaleBench.main(rest);
            case "kernel" -> KernelBench.main(rest);
            case "micro" -> MicroBench.main(rest);
            default -> {
                System.err.println(
                        "usage: ./sluice bench load|store|scale|kernel|micro [options]; see bench/README.md");
                System.exit(2);
            }
        }
    }
}
