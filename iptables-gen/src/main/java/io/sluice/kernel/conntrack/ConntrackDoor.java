package io.sluice.kernel.conntrack;

import io.sluice.api.net.IpFamily;
import io.sluice.kernel.KernelException;

import java.util.function.Predicate;

/** What is asked of connection tracking. One thread. */
public interface ConntrackDoor extends AutoCloseable {

    /**
     * Ends flows: the next datagram of their clients is treated as the first.
     *
     * @param unwanted asked for each flow once or more often; what is not unwanted is not kept in memory
     * @return how many were ended
     */
    int end(IpFamily family, Predicate<UdpFlow> unwanted) throws KernelException;

    @Override
    void close();
}
