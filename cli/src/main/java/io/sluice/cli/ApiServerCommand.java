package io.sluice.cli;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

import java.util.List;
import java.util.concurrent.Callable;

@Command(
        name = "apiserver",
        description = "Runs the API server with its store, and nothing else.",
        mixinStandardHelpOptions = true,
        footer = {"", "Examples:", "  ./sluice apiserver --data-dir /tmp/s --port 7443"})
final class ApiServerCommand implements Callable<Integer> {
    @Mixin
    private UpOptions options;

    @Override
    public Integer call() throws Exception {
        options.without = List.of("node", "proxy", "controllers");
        Cluster cluster = Cluster.start(options);
        System.out.println(cluster.readyLine());
        System.out.flush();
        Shutdown.await(cluster::close);
        return 0;
    }
}
