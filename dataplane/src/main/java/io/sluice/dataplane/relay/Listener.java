package io.sluice.dataplane.relay;

import io.sluice.endpoints.Backend;
import io.sluice.endpoints.FrontendIndex.Claim;
import io.sluice.kernel.KernelException;

import java.util.List;

/** A bound socket of one frontend. Made and told by the applier's thread; its work is done on its loop. */
interface Listener {

    /** From now on connections are decided by this claim. */
    void claim(Claim claim, ServiceRuntime runtime);

    /** Ends UDP flows to endpoints that do not serve any more; nothing to do for TCP, whose connections end by themselves. */
    void keepFlowsTo(List<Backend> serving);

    /** Lets another of our sockets have the port at another address. */
    void sharePort() throws KernelException;

    /** The descriptor, for filters. */
    int descriptor();

    /** Stops listening. Open TCP connections go on; UDP flows end. */
    void close();
}
