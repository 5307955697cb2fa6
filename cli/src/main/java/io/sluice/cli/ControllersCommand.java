package io.sluice.cli;

import io.sluice.api.client.KubeClient;
import io.sluice.api.client.KubeConfig;
import io.sluice.controllers.Controllers;

import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

import java.nio.file.Path;
import java.time.Clock;
import java.util.concurrent.Callable;

@Command(
        name = "controllers",
        description = "Runs the controllers against an API server.",
        mixinStandardHelpOptions = true,
        footer = {"", "Examples:", "  ./sluice controllers --kubeconfig /tmp/s/admin.kubeconfig"})
final class ControllersCommand implements Callable<Integer> {
    @Option(
            names = "--kubeconfig",
            paramLabel = "FILE",
            required = true,
            description = "whom to talk to")
    private Path kubeconfig;

    @Override
    public Integer call() throws Exception {
        KubeClient client = KubeClient.of(KubeConfig.load(kubeconfig, Clock.systemUTC())
                .withUserAgent("sluice-controllers/" + Version.text()));
        Controllers controllers = Controllers.start(client, Clock.systemUTC());
        Shutdown.await(() -> {
            controllers.close();
            client.close();
        });
        return 0;
    }
}
