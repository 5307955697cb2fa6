package io.sluice.bench.load;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** nginx and iperf3, to be loaded. */
public final class WebServer implements AutoCloseable {
    private final List<Process> processes = new ArrayList<>();

    private WebServer() {}

    public static WebServer start(Path dir, String address) throws IOException {
        WebServer out = new WebServer();
        for (Peer peer : List.of(Peers.httpServer(dir, address), Peers.bulkServer(address))) {
            out.processes.add(Command.start(
                    dir.resolve(peer.name().replace(' ', '-') + ".log"), peer.command()));
        }
        return out;
    }

    public int httpPort() {
        return Peers.HTTP_SERVER;
    }

    public int bulkPort() {
        return Peers.BULK_SERVER;
    }

    @Override
    public void close() {
        processes.forEach(Process::destroy);
    }
}
