package io.sluice.cli;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

import io.sluice.api.object.Json;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

import java.util.concurrent.Callable;

@Command(
        name = "status",
        description = "Tells how a running proxy is; exit code 1 when it is not well.",
        mixinStandardHelpOptions = true,
        footer = {"", "Examples:", "  ./sluice status", "  ./sluice status -o json"})
final class StatusCommand implements Callable<Integer> {
    @Mixin
    private DebugOptions options;

    @Override
    public Integer call() throws Exception {
        String answer = options.client().get("/debug/status");
        ObjectNode status = Json.parseObject(answer);
        if (options.json()) {
            System.out.print(answer);
        } else {
            status.properties().forEach(entry -> print(entry.getKey(), entry.getValue()));
        }
        return status.path("healthy").asBoolean() ? 0 : Main.FAILURE;
    }

    private static void print(String name, JsonNode value) {
        if (value.isArray()) {
            System.out.printf("%-16s %s%n", name, value.isEmpty() ? "none" : "");
            value.forEach(item -> System.out.println("  " + item.asText()));
        } else {
            System.out.printf("%-16s %s%n", name, value.asText());
        }
    }
}
