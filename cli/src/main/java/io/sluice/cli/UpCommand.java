package io.sluice.cli;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

import java.util.concurrent.Callable;

@Command(
        name = "up",
        description =
                "Runs everything on this machine, in the foreground. Ctrl-C stops it; data stays.",
        mixinStandardHelpOptions = true,
        footer = {
            "",
            "Examples:",
            "  ./sluice up --without node",
            "  ./sluice up --without node --data-dir /tmp/s --port 7443 --proxy-mode userspace",
            "  kubectl --kubeconfig /tmp/s/admin.kubeconfig get services -A"
        })
final class UpCommand implements Callable<Integer> {
    @Mixin
    private UpOptions options;

    @Override
    public Integer call() throws Exception {
        Cluster cluster = Cluster.start(options);
        System.out.println(cluster.readyLine());
        System.out.flush();
        Shutdown.await(cluster::close);
        return 0;
    }
}
