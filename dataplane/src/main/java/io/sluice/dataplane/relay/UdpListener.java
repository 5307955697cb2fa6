package io.sluice.dataplane.relay;

import io.sluice.api.net.IpAddress;
import io.sluice.endpoints.Backend;
import io.sluice.endpoints.Decision;
import io.sluice.endpoints.FrontendIndex.Claim;
import io.sluice.endpoints.ServicePortImage;
import io.sluice.kernel.DatagramBuffer;
import io.sluice.kernel.Errno;
import io.sluice.kernel.KernelException;
import io.sluice.kernel.Sockets;

import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.function.Supplier;

/**
 * Receives datagrams of one frontend at one address and keeps its flows, each a client that stays with one endpoint until it has been
 * idle, or the endpoint stops serving. All on one loop.
 */
final class UdpListener implements Listener {
    private static final int DATAGRAMS_PER_TURN = 64;
    private static final int MOST_FLOWS = 16_384;
    private static final long SWEEP_MS = 1_000;
    private static final long EVICT_NANOS = 1_000_000_000L;
    private static final int SOCKET_BUFFER = 1 << 20;

    private final RelayLoop loop;
    private final Supplier<SourceClassifier> classifier;
    private final FlowBudget budget;
    private final RelaySocket socket;
    /** Least recently used first. */
    private final Map<FlowKey, UdpFlow> flows = new LinkedHashMap<>(16, 0.75f, true);

    private boolean sweeping;
    private volatile State state;

    private record State(Claim claim, ServiceRuntime runtime) {}

    /** @param local the address the client used */
    private record FlowKey(IpAddress client, int port, IpAddress local) {}

    private UdpListener(
            RelayLoop loop, Supplier<SourceClassifier> classifier, FlowBudget budget, int fd) {
        this.loop = loop;
        this.classifier = classifier;
        this.budget = budget;
        this.socket = new RelaySocket(fd, ops -> receive(), this::rest);
    }

    static UdpListener bind(
            RelayLoop loop,
            Supplier<SourceClassifier> classifier,
            FlowBudget budget,
            int fd,
            IpAddress address,
            int port)
            throws KernelException {
        Sockets.receiveBuffer(fd, SOCKET_BUFFER);
        Sockets.bindUdp(fd, address, port);
        return new UdpListener(loop, classifier, budget, fd);
    }

    void open() {
        loop.execute(() -> {
            if (!socket.isClosed()) {
                socket.register(loop, RelaySocket.READ);
            }
        });
    }

    @Override
    public void claim(Claim claim, ServiceRuntime runtime) {
        state = new State(claim, runtime);
    }

    @Override
    public void keepFlowsTo(List<Backend> serving) {
        loop.execute(() -> endIf(flow -> !serves(serving, flow.backend())));
    }

    private static boolean serves(List<Backend> serving, Backend backend) {
        return serving.stream()
                .anyMatch(candidate -> candidate.port() == backend.port()
                        && candidate.address().equals(backend.address()));
    }

    @Override
    public void sharePort() throws KernelException {
        Sockets.sharePort(socket.descriptor());
    }

    @Override
    public int descriptor() {
        return socket.descriptor();
    }

    @Override
    public void close() {
        loop.execute(() -> {
            endIf(flow -> true);
            socket.close();
        });
    }

    private void endIf(Predicate<UdpFlow> condition) {
        flows.values().removeIf(flow -> {
            boolean end = condition.test(flow);
            if (end) {
                close(flow);
            }
            return end;
        });
    }

    private void close(UdpFlow flow) {
        flow.close();
        budget.give();
    }

    private void rest() {
        socket.rest(SWEEP_MS);
    }

    private void receive() {
        DatagramBuffer datagram = loop.datagram();
        for (int i = 0; i < DATAGRAMS_PER_TURN && !socket.isClosed(); i++) {
            long length = datagram.receive(socket.descriptor());
            if (length < 0) {
                if (length == -Errno.EAGAIN) {
                    return;
                }
                continue; // an error of an earlier answer
            }
            forward(datagram, length);
        }
    }

    private void forward(DatagramBuffer datagram, long length) {
        State now = state;
        FlowKey key = new FlowKey(datagram.source(), datagram.sourcePort(), datagram.destination());
        UdpFlow flow = flows.get(key);
        if (flow == null) {
            Optional<UdpFlow> begun = begin(key, now);
            if (begun.isEmpty()) {
                now.runtime().counters().dropped.increment();
                return;
            }
            flow = begun.get();
        }
        now.runtime().counters().bytesIn.add(length);
        if (!flow.send(datagram.data(), length)) {
            onRefused(key, flow);
            // What was refused was an earlier datagram; this one may go elsewhere.
            begin(key, now).ifPresent(other -> other.send(datagram.data(), length));
        }
    }

    private Optional<UdpFlow> begin(FlowKey key, State now) {
        ServicePortImage port = now.claim().port();
        SourceClassifier sources = classifier.get();
        IpAddress source = sources.seen(key.client(), key.local());
        Decision decision =
                Decision.of(port, now.claim().frontend().kind(), sources.of(source), source);
        if (!(decision instanceof Decision.Forward forward) || !makeRoom()) {
            return Optional.empty();
        }
        List<Backend> order =
                now.runtime().order(forward.backends(), key.client(), port.affinitySeconds());
        try {
            return begin(key, now, order);
        } catch (KernelException e) {
            budget.exhausted();
            return Optional.empty();
        }
    }

    private Optional<UdpFlow> begin(FlowKey key, State now, List<Backend> order)
            throws KernelException {
        for (Backend backend : order) {
            Optional<UdpFlow> flow = UdpFlow.connect(
                    loop, now.runtime(), backend, new Reply(key), broken -> onRefused(key, broken));
            if (flow.isPresent()) {
                now.runtime().remember(key.client(), backend, now.claim().port().affinitySeconds());
                budget.take();
                flows.put(key, flow.get());
                startSweeping();
                return flow;
            }
            now.runtime().failed(backend);
        }
        return Optional.empty();
    }

    /** Where the table is full, who has been silent longest makes room, if that is a second at least. */
    private boolean makeRoom() {
        if (flows.size() < MOST_FLOWS && budget.hasRoom()) {
            return true;
        }
        Iterator<UdpFlow> oldest = flows.values().iterator();
        if (!oldest.hasNext()) {
            return false;
        }
        UdpFlow flow = oldest.next();
        if (flow.idleNanos(System.nanoTime()) < EVICT_NANOS) {
            return false;
        }
        oldest.remove();
        close(flow);
        return true;
    }

    /** Nobody listens there: it is asked last for a while, and the client's next datagram begins anew. */
    private void onRefused(FlowKey key, UdpFlow flow) {
        if (flows.remove(key, flow)) {
            state.runtime().failed(flow.backend());
            close(flow);
        }
    }

    /** The way back to a flow's client. */
    private final class Reply implements UdpFlow.Replies {
        private final FlowKey key;

        Reply(FlowKey key) {
            this.key = key;
        }

        @Override
        public void send(DatagramBuffer datagram, long length) {
            flows.get(key); // counts as use
            datagram.send(socket.descriptor(), length, key.local(), key.client(), key.port());
        }
    }

    private void startSweeping() {
        if (!sweeping) {
            sweeping = true;
            loop.schedule(this::sweep, SWEEP_MS);
        }
    }

    /** Ends idle flows; looks at those used longest ago and stops at the first that no rule could end. */
    private void sweep() {
        long now = System.nanoTime();
        Iterator<UdpFlow> oldest = flows.values().iterator();
        while (oldest.hasNext()) {
            UdpFlow flow = oldest.next();
            if (flow.idleNanos(now) < UdpFlow.SHORT_NANOS) {
                break;
            }
            if (flow.isIdle(now)) {
                oldest.remove();
                close(flow);
            }
        }
        sweeping = !flows.isEmpty();
        if (sweeping) {
            loop.schedule(this::sweep, SWEEP_MS);
        }
    }
}
