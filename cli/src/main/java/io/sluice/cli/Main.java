package io.sluice.cli;

import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;

import java.io.PrintWriter;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;

/** {@code sluice}: parses the command line and turns whatever happens into an exit code and one clear line. */
@Command(
        name = "sluice",
        description = "Carries Kubernetes Service traffic, and brings its own control plane.",
        mixinStandardHelpOptions = true,
        versionProvider = Version.class)
public final class Main implements Runnable {
    static final int FAILURE = 1;
    static final int USAGE = 2;
    static final int NOT_IN_THIS_BUILD = 3;

    @picocli.CommandLine.Spec
    private CommandSpec spec;

    private Main() {}

    public static void main(String[] args) {
        // What machines read must not depend on whose machine it is.
        Locale.setDefault(Locale.ROOT);
        Logging.configure(args);
        int code = commandLine(args).execute(args);
        System.out.flush();
        // Daemon threads of the parts must not keep a failed command alive.
        System.exit(code);
    }

    private static Map<String, Supplier<Object>> commands() {
        Map<String, Supplier<Object>> out = new LinkedHashMap<>();
        out.put("up", UpCommand::new);
        out.put("demo", DemoCommand::new);
        out.put("apiserver", ApiServerCommand::new);
        out.put("controllers", ControllersCommand::new);
        out.put("explain", ExplainCommand::new);
        out.put("status", StatusCommand::new);
        out.put("image", ImageCommand::new);
        out.put("rules", RulesCommand::new);
        out.put("proxy", ProxyCommand::spec);
        for (String missing : new String[] {"scheduler", "node", "doctor"}) {
            out.put(missing, () -> MissingCommand.spec(missing));
        }
        return out;
    }

    /** Knows the command that is named, or all: to describe the options of all others takes a tenth of the start-up. */
    static CommandLine commandLine(String... args) {
        CommandLine line = new CommandLine(new Main());
        Map<String, Supplier<Object>> commands = commands();
        if (args.length > 0 && commands.containsKey(args[0])) {
            commands.keySet().retainAll(Set.of(args[0]));
        }
        commands.forEach((name, command) -> line.addSubcommand(name, command.get()));
        line.setExecutionExceptionHandler(Main::onFailure);
        line.setParameterExceptionHandler(Main::onWrongUsage);
        line.setUsageHelpAutoWidth(true);
        return line;
    }

    private static int onFailure(
            Exception failure, CommandLine command, CommandLine.ParseResult result) {
        PrintWriter err = command.getErr();
        String message = failure.getMessage() == null ? failure.toString() : failure.getMessage();
        err.println("sluice " + command.getCommandName() + ": " + message);
        if (Logging.isVerbose()) {
            failure.printStackTrace(err);
        }
        return failure instanceof UsageException ? USAGE : FAILURE;
    }

    private static int onWrongUsage(ParameterException failure, String[] args) {
        CommandLine command = failure.getCommandLine();
        command.getErr()
                .println("sluice " + command.getCommandName() + ": " + failure.getMessage());
        command.getErr().println("see: ./sluice " + command.getCommandName() + " --help");
        return USAGE;
    }

    @Override
    public void run() {
        throw new ParameterException(spec.commandLine(), "a command is needed");
    }
}
