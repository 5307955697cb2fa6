package io.sluice.cli;

import io.sluice.api.client.ClientConfig;
import io.sluice.api.client.KubeClient;
import io.sluice.api.client.KubeConfig;
import io.sluice.api.object.Yaml;
import io.sluice.dataplane.cleanup.Cleanup;
import io.sluice.dataplane.config.ConfigException;
import io.sluice.dataplane.config.ProxyConfig;
import io.sluice.dataplane.config.ProxyFlag;
import io.sluice.dataplane.config.ProxyMode;
import io.sluice.dataplane.config.ProxyOptions;
import io.sluice.dataplane.proxy.DryRun;
import io.sluice.dataplane.proxy.FeatureProbe;
import io.sluice.dataplane.sysctl.ConntrackSettings;
import io.sluice.dataplane.sysctl.Sysctls;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParseResult;

import java.io.IOException;
import java.net.InetAddress;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;

/** The proxy alone, a drop-in for kube-proxy: its flags are the options. */
final class ProxyCommand implements Callable<Integer> {
    private static final Logger LOG = LoggerFactory.getLogger("proxy");
    private static final String DRY_RUN = "--dry-run";
    private static final Duration DRY_RUN_TIMEOUT = Duration.ofSeconds(30);

    private CommandSpec spec;

    private ProxyCommand() {}

    static CommandSpec spec() {
        ProxyCommand command = new ProxyCommand();
        CommandSpec spec = CommandSpec.wrapWithoutInspection(command);
        command.spec = spec;
        spec.mixinStandardHelpOptions(true);
        spec.usageMessage()
                .description(
                        "Carries Service traffic on this node. Takes kube-proxy's flags and configuration file.")
                .footer(
                        "",
                        "Examples:",
                        "  ./sluice proxy --kubeconfig /etc/kubernetes/kube-proxy.kubeconfig",
                        "  ./sluice proxy --config /var/lib/kube-proxy/config.conf --hostname-override node-1");
        for (ProxyFlag flag : ProxyFlag.ALL) {
            spec.addOption(option(flag));
        }
        spec.addOption(OptionSpec.builder(DRY_RUN)
                .type(boolean.class)
                .description(
                        "print the rules and what differs in the kernel, change nothing, and end")
                .build());
        return spec;
    }

    private static OptionSpec option(ProxyFlag flag) {
        String note = switch (flag.use()) {
            case EFFECTIVE -> "";
            case KERNEL_MODE -> " [kernel modes only]";
            case ACCEPTED -> " [accepted]";
        };
        String standard =
                flag.defaultText().isEmpty() ? "" : " (default: " + flag.defaultText() + ')';
        OptionSpec.Builder builder = OptionSpec.builder("--" + flag.name())
                .type(String.class)
                .paramLabel("VALUE")
                .description((flag.help() + standard + note).replace("%", "%%"));
        return flag.isSwitch()
                ? builder.arity("0..1").fallbackValue("true").build()
                : builder.arity("1").build();
    }

    @Override
    public Integer call() throws Exception {
        Map<String, String> flags = given(spec.commandLine().getParseResult());
        String text = configText(flags);
        ProxyOptions.Resolved resolved = resolve(flags, text);
        resolved.warnings().forEach(warning -> LOG.warn("{}", warning));
        ProxyConfig config = resolved.config();
        if (flags.containsKey("write-config-to")) {
            Files.writeString(
                    Path.of(flags.get("write-config-to")), Yaml.write(config.effective()));
            return 0;
        }
        if ("true".equals(flags.get("cleanup"))) {
            return cleanUp();
        }
        if ("true".equals(flags.get("init-only"))) {
            return setSysctls(config) ? 0 : Main.FAILURE;
        }
        return spec.commandLine().getParseResult().hasMatchedOption(DRY_RUN)
                ? dryRun(config)
                : serve(config, flags, text);
    }

    private static int cleanUp() {
        Cleanup.Report report = Cleanup.all();
        report.removed().forEach(text -> System.out.println("removed " + text));
        report.problems().forEach(problem -> LOG.error("cleanup: {}", problem));
        return report.problems().isEmpty() ? 0 : Main.FAILURE;
    }

    private static int dryRun(ProxyConfig config) throws Exception {
        try (KubeClient client = KubeClient.of(access(config))) {
            DryRun.Plan plan = DryRun.of(
                    ProxyRun.complete(config, client, DRY_RUN_TIMEOUT), client, DRY_RUN_TIMEOUT);
            System.out.print(plan.rules());
            System.out.println("# in the kernel now, beside that:");
            plan.differences().forEach(line -> System.out.println("# " + line));
        }
        return 0;
    }

    private static Map<String, String> given(ParseResult parsed) {
        Map<String, String> out = new LinkedHashMap<>();
        for (ProxyFlag flag : ProxyFlag.ALL) {
            if (parsed.hasMatchedOption("--" + flag.name())) {
                out.put(flag.name(), parsed.matchedOptionValue("--" + flag.name(), ""));
            }
        }
        return out;
    }

    private static String configText(Map<String, String> flags) throws IOException {
        if (!flags.containsKey("config")) {
            return "";
        }
        try {
            return Files.readString(Path.of(flags.get("config")));
        } catch (IOException e) {
            throw new IOException("--config " + flags.get("config") + " cannot be read: " + e, e);
        }
    }

    private static ProxyOptions.Resolved resolve(Map<String, String> flags, String text)
            throws UsageException, IOException {
        try {
            return ProxyOptions.resolve(flags, text, hostname(), FeatureProbe::read);
        } catch (ConfigException e) {
            throw new UsageException(e.getMessage());
        }
    }

    static String hostname() throws IOException {
        Path file = Path.of("/proc/sys/kernel/hostname");
        return Files.exists(file)
                ? Files.readString(file).strip()
                : InetAddress.getLocalHost().getHostName();
    }

    private static int serve(ProxyConfig config, Map<String, String> flags, String text)
            throws Exception {
        Optional<Path> file = Optional.ofNullable(flags.get("config")).map(Path::of);
        new ProxyRun(
                        file,
                        text,
                        now -> ProxyOptions.resolve(flags, now, hostname(), FeatureProbe::read)
                                .config())
                .run(config);
        return 0;
    }

    /** What the configuration asks of the kernel besides rules. */
    static void adjust(ProxyConfig config) {
        adjustOom(config.oomScoreAdj());
        if (config.mode() != ProxyMode.USERSPACE) {
            setSysctls(config);
        }
    }

    /** Where the API server is, and who asks. */
    static ClientConfig access(ProxyConfig config) throws IOException {
        return server(config).withUserAgent("sluice-proxy/" + Version.text());
    }

    private static ClientConfig server(ProxyConfig config) throws IOException {
        if (!config.kubeconfig().isEmpty()) {
            return KubeConfig.load(
                    Path.of(config.kubeconfig()), "", config.master(), Clock.systemUTC());
        }
        if (!config.master().isEmpty()) {
            return new ClientConfig(
                    URI.create(config.master()),
                    "",
                    false,
                    "",
                    "",
                    "",
                    ClientConfig.Credentials.NONE,
                    "",
                    Duration.ofSeconds(60));
        }
        Optional<ClientConfig> inCluster = KubeConfig.inCluster(Clock.systemUTC());
        return inCluster.orElseThrow(
                () -> new IOException(
                        "where is the API server? give --kubeconfig or --config; this is no pod with a service account"));
    }

    /** @return whether all are as configured; the proxy serves without that as well */
    private static boolean setSysctls(ProxyConfig config) {
        Path sys = Path.of("/sys");
        ConntrackSettings settings = ConntrackSettings.of(config.effective(), Sysctls.cpus(sys));
        Sysctls.Report report = Sysctls.apply(settings, Path.of("/proc"), sys);
        report.changed().forEach(text -> LOG.info("set {}", text));
        report.problems().forEach(text -> LOG.warn("{}", text));
        return report.problems().isEmpty();
    }

    /** Failing is no reason not to serve: kube-proxy only logs as well. */
    private static void adjustOom(int score) {
        try {
            Files.writeString(Path.of("/proc/self/oom_score_adj"), String.valueOf(score));
        } catch (IOException e) {
            LOG.info("oom_score_adj stays as it is: {}", e.getMessage());
        }
    }
}
