package io.sluice.endpoints;

import java.util.ArrayList;
import java.util.List;

/** The frontends of one Service port. Pure. */
public final class Frontends {
    private Frontends() {}

    public static List<Frontend> of(ServicePortImage port) {
        List<Frontend> out = new ArrayList<>(2);
        out.add(new Frontend(
                Frontend.Kind.CLUSTER_IP,
                port.clusterIp(),
                port.port(),
                port.name().protocol()));
        port.externalIps()
                .forEach(ip -> out.add(new Frontend(
                        Frontend.Kind.EXTERNAL_IP, ip, port.port(), port.name().protocol())));
        port.vips()
                .forEach(ip -> out.add(new Frontend(
                        Frontend.Kind.LOAD_BALANCER,
                        ip,
                        port.port(),
                        port.name().protocol())));
        if (port.nodePort() != 0) {
            out.add(new Frontend(
                    Frontend.Kind.NODE_PORT,
                    Frontend.any(port.name().family()),
                    port.nodePort(),
                    port.name().protocol()));
        }
        return out;
    }
}
