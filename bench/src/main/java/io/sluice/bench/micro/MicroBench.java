package io.sluice.bench.micro;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

import io.sluice.api.meta.NamespacedName;
import io.sluice.api.model.AddressType;
import io.sluice.api.model.Endpoint;
import io.sluice.api.model.EndpointPort;
import io.sluice.api.model.EndpointSlice;
import io.sluice.api.model.EndpointSliceDecoder;
import io.sluice.api.model.Service;
import io.sluice.api.model.ServicePort;
import io.sluice.api.model.ServiceType;
import io.sluice.api.net.IpAddress;
import io.sluice.api.net.IpFamily;
import io.sluice.api.net.Protocol;
import io.sluice.api.object.Json;
import io.sluice.endpoints.NodeView;
import io.sluice.endpoints.ServiceTracker;

import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.OptionsBuilder;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Decode beside Jackson's tree, one change in a tracker of 10,000 Services, and a choice among 1,000 endpoints. */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(1)
public class MicroBench {
    private static final int SERVICES = 10_000;

    private final EndpointSliceDecoder decoder = new EndpointSliceDecoder();
    private byte[] sliceOf100;
    private ServiceTracker tracker;
    private ServiceTracker large;
    private boolean ready;

    public static void main(String[] args) throws RunnerException {
        new Runner(new OptionsBuilder()
                        .include(MicroBench.class.getSimpleName())
                        .jvmArgs("-XX:+UseSerialGC", "-Xmx512m")
                        .build())
                .run();
    }

    @Setup
    public void prepare() {
        sliceOf100 = Json.bytes(json(100));
        NodeView node = new NodeView("node-1", "", List.of(IpAddress.of("10.0.0.1")));
        tracker = new ServiceTracker(node);
        for (int i = 0; i < SERVICES; i++) {
            tracker.onService(service("s" + i, i));
            tracker.onSlice(slice("s" + i, 5, true));
        }
        tracker.checkOut();
        large = new ServiceTracker(node);
        large.onService(service("large", 1));
        large.onSlice(slice("large", 1_000, true));
        large.checkOut();
    }

    private static ObjectNode json(int endpoints) {
        ObjectNode out =
                Json.object().put("apiVersion", "discovery.k8s.io/v1").put("kind", "EndpointSlice");
        out.putObject("metadata")
                .put("name", "web-abcde")
                .put("namespace", "default")
                .put("resourceVersion", "12345")
                .putObject("labels")
                .put("kubernetes.io/service-name", "web");
        out.put("addressType", "IPv4");
        out.putArray("ports")
                .addObject()
                .put("name", "http")
                .put("port", 8080)
                .put("protocol", "TCP");
        var list = out.putArray("endpoints");
        for (int i = 0; i < endpoints; i++) {
            ObjectNode endpoint = list.addObject();
            endpoint.putArray("addresses").add("10.244." + i / 250 + "." + (i % 250 + 1));
            endpoint.putObject("conditions")
                    .put("ready", true)
                    .put("serving", true)
                    .put("terminating", false);
            endpoint.put("nodeName", "node-" + i % 10);
            endpoint.putObject("targetRef").put("kind", "Pod").put("name", "web-" + i);
        }
        return out;
    }

    private static Service service(String name, int number) {
        return new Service(
                new NamespacedName("default", name),
                name,
                ServiceType.CLUSTER_IP,
                false,
                List.of(IpFamily.IPV4),
                List.of(new IpAddress(IpFamily.IPV4, 0, (10L << 24 | 96L << 16) + number)),
                List.of(new ServicePort("http", Protocol.TCP, 80, 0)),
                List.of(),
                List.of(),
                List.of(),
                false,
                false,
                0,
                0,
                "",
                false);
    }

    private static EndpointSlice slice(String service, int endpoints, boolean firstReady) {
        List<Endpoint> list = new ArrayList<>();
        for (int i = 0; i < endpoints; i++) {
            boolean isReady = i > 0 || firstReady;
            IpAddress address = new IpAddress(IpFamily.IPV4, 0, (10L << 24 | 244L << 16) + i);
            list.add(new Endpoint(
                    address,
                    isReady,
                    isReady,
                    false,
                    "node-" + i % 3,
                    "",
                    List.of(),
                    List.of(),
                    "pod-" + i));
        }
        return new EndpointSlice(
                new NamespacedName("default", service + "-1"),
                service,
                false,
                AddressType.IPV4,
                list,
                List.of(new EndpointPort("http", Protocol.TCP, 8080)),
                0);
    }

    /** A slice of 100 endpoints into compact records. */
    @Benchmark
    public Object decodeStreaming() throws IOException {
        try (JsonParser parser = Json.parser(sliceOf100)) {
            parser.nextToken();
            return decoder.decode(parser, problem -> {});
        }
    }

    /** The same into Jackson's tree: the peer. */
    @Benchmark
    public JsonNode decodeTree() throws IOException {
        return Json.MAPPER.readTree(sliceOf100);
    }

    /** One endpoint of one Service changes among 10,000. */
    @Benchmark
    public Object trackOneChange() {
        ready = !ready;
        tracker.onSlice(slice("s4711", 5, ready));
        return tracker.checkOut();
    }

    /** One endpoint of a Service with 1,000 changes: all of them are chosen again. */
    @Benchmark
    public Object chooseAmong1000() {
        ready = !ready;
        large.onSlice(slice("large", 1_000, ready));
        return large.checkOut();
    }
}
