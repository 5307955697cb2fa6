package io.sluice.cli;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

import io.sluice.api.object.Json;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

import java.util.concurrent.Callable;

@Command(
        name = "image",
        description = "Shows all Services as the proxy sees them.",
        mixinStandardHelpOptions = true,
        footer = {"", "Examples:", "  ./sluice image", "  ./sluice image -o json"})
final class ImageCommand implements Callable<Integer> {
    @Mixin
    private DebugOptions options;

    @Override
    public Integer call() throws Exception {
        String answer = options.client().get("/debug/image");
        if (options.json()) {
            System.out.print(answer);
            return 0;
        }
        ObjectNode image = Json.parseObject(answer);
        System.out.printf(
                "%-40s %-24s %-10s %-10s %s%n",
                "SERVICE PORT", "CLUSTER IP", "NODE PORT", "ENDPOINTS", "LEFT OUT");
        for (JsonNode port : image.path("servicePorts")) {
            String name =
                    port.path("namespace").asText() + '/' + port.path("service").asText();
            String portName = port.path("port").asText();
            System.out.printf(
                    "%-40s %-24s %-10s %-10d %d%n",
                    portName.isEmpty() ? name : name + ':' + portName,
                    port.path("clusterIP").asText()
                            + '/'
                            + port.path("protocol").asText().toLowerCase(),
                    port.path("nodePort").asText("-"),
                    port.path("clusterEndpoints").size(),
                    port.path("leftOut").asInt());
        }
        return 0;
    }
}
