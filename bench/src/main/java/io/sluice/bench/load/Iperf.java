package io.sluice.bench.load;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;

import java.io.IOException;
import java.util.List;

/** Large transfers by iperf3: two parallel streams from client to server. */
public final class Iperf {
    private Iperf() {}

    /** Bytes the server received, and over how many seconds. */
    public record Result(double bytes, double seconds) {
        public double gigabytesPerSecond() {
            return bytes / seconds / 1e9;
        }
    }

    public static Result run(String address, int port, int seconds)
            throws IOException, InterruptedException {
        String output = Command.run(
                seconds + 30,
                List.of(
                        Command.find("iperf3"),
                        "-c",
                        address,
                        "-p",
                        String.valueOf(port),
                        "-P",
                        "2",
                        "-t",
                        String.valueOf(seconds),
                        "-J"));
        JsonNode sum = new ObjectMapper().readTree(output).path("end").path("sum_received");
        if (sum.isMissingNode()) {
            throw new IOException("iperf3 reported no sum: " + output.strip());
        }
        return new Result(sum.path("bytes").asDouble(), sum.path("seconds").asDouble());
    }
}
