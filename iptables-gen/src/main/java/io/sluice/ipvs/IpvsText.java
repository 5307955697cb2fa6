package io.sluice.ipvs;

import java.util.Collection;

/** Virtual servers in the language of {@code ipvsadm --save --numeric}. */
public final class IpvsText {
    private IpvsText() {}

    public static String of(Collection<VirtualServer> servers) {
        StringBuilder out = new StringBuilder();
        for (VirtualServer server : servers) {
            String at = at(server.at());
            out.append("-A ")
                    .append(at)
                    .append(" -s ")
                    .append(server.scheduler().word());
            if (server.persistenceSeconds() > 0) {
                out.append(" -p ").append(server.persistenceSeconds());
            }
            out.append(server.hashesPort() ? " -b mh-port\n" : "\n");
            for (RealServer real : server.realServers()) {
                out.append("-a ").append(at).append(" -r ");
                out.append(real.address().withPort(real.port())).append(" -m -w 1\n");
            }
        }
        return out.toString();
    }

    private static String at(ServerAddress at) {
        String flag = switch (at.protocol()) {
            case TCP -> "-t ";
            case UDP -> "-u ";
            case SCTP -> "--sctp-service ";
        };
        return flag + at.address().withPort(at.port());
    }
}
