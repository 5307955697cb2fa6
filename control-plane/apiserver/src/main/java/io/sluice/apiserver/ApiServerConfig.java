package io.sluice.apiserver;

import io.sluice.api.net.Cidr;
import io.sluice.api.net.IpAddress;
import io.sluice.apiserver.http.HttpLimits;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/**
 * How a server is set up.
 *
 * @param dataDir keys, certificates and kubeconfigs are made there
 * @param bindAddresses at least one; an unspecified address means every interface
 * @param port 0 takes a free one
 * @param advertised where others reach this server; a loopback address leaves Service {@code kubernetes} without an endpoint
 * @param serviceCidrs one, or two of different families; the first is the default family
 * @param firstNodePort node ports begin here
 * @param lastNodePort and end here, inclusive
 * @param hostName a name clients may use, beside {@code localhost} and the Service's names
 * @param productVersion of this program, shown behind the Kubernetes version
 * @param limits what clients may take
 * @param historyKept how long the store keeps old revisions, for paged lists
 */
public record ApiServerConfig(
        Path dataDir,
        List<IpAddress> bindAddresses,
        int port,
        IpAddress advertised,
        List<Cidr> serviceCidrs,
        int firstNodePort,
        int lastNodePort,
        String hostName,
        String productVersion,
        HttpLimits limits,
        Duration historyKept) {

    /** With Kubernetes' default node ports; the advertised address is the one bound, or the host's own where all are. */
    public static ApiServerConfig of(
            Path dataDir,
            IpAddress bind,
            int port,
            List<Cidr> serviceCidrs,
            String hostName,
            String productVersion) {
        return new ApiServerConfig(
                dataDir,
                List.of(bind),
                port,
                bind.isUnspecified() ? HostAddresses.first(bind.family()) : bind,
                serviceCidrs,
                30_000,
                32_767,
                hostName,
                productVersion,
                HttpLimits.defaults(),
                Duration.ofMinutes(5));
    }

    public ApiServerConfig withAdvertised(IpAddress address) {
        return new ApiServerConfig(
                dataDir,
                bindAddresses,
                port,
                address,
                serviceCidrs,
                firstNodePort,
                lastNodePort,
                hostName,
                productVersion,
                limits,
                historyKept);
    }

    public ApiServerConfig withLimits(HttpLimits changed) {
        return new ApiServerConfig(
                dataDir,
                bindAddresses,
                port,
                advertised,
                serviceCidrs,
                firstNodePort,
                lastNodePort,
                hostName,
                productVersion,
                changed,
                historyKept);
    }
}
