package io.sluice.kernel.ipvs;

import io.sluice.api.net.IpFamily;
import io.sluice.ipvs.FoundServer;
import io.sluice.ipvs.Operation;
import io.sluice.kernel.KernelException;

import java.util.List;

/** What is asked of IPVS, in the network namespace of the caller. One thread. */
public interface IpvsDoor extends AutoCloseable {

    /** All virtual servers of a family, also other programs'; not those that a packet mark picks. Sorted. */
    List<FoundServer> servers(IpFamily family) throws KernelException;

    /**
     * @throws KernelException EEXIST where what is added is there; ESRCH for a virtual server that is not; ENOENT for a real server that is
     *     not, or a scheduler this kernel does not have
     */
    void apply(Operation operation) throws KernelException;

    Timeouts timeouts() throws KernelException;

    /** A value of 0 leaves what is there. */
    void setTimeouts(Timeouts timeouts) throws KernelException;

    /** Seconds after which an idle connection is forgotten. */
    record Timeouts(int tcp, int tcpFin, int udp) {}

    @Override
    void close();
}
