package io.sluice.apiserver;

import io.sluice.api.net.Cidr;
import io.sluice.api.net.IpAddress;
import io.sluice.apiserver.pki.SubjectNames;

import java.math.BigInteger;
import java.util.ArrayList;
import java.util.List;

/** The names and addresses clients may call the server by. */
final class ServingNames {
    private ServingNames() {}

    static SubjectNames of(ApiServerConfig config) {
        List<IpAddress> addresses = new ArrayList<>(
                List.of(IpAddress.of("127.0.0.1"), IpAddress.of("::1"), config.advertised()));
        for (IpAddress bound : config.bindAddresses()) {
            if (bound.isUnspecified()) {
                addresses.addAll(HostAddresses.all());
            } else {
                addresses.add(bound);
            }
        }
        addresses.addAll(serviceAddresses(config));
        List<String> names = new ArrayList<>(List.of(
                "localhost",
                "kubernetes",
                "kubernetes.default",
                "kubernetes.default.svc",
                "kubernetes.default.svc.cluster.local"));
        if (!config.hostName().isEmpty()) {
            names.add(config.hostName());
        }
        return SubjectNames.of(names, addresses);
    }

    /** The first address of each range, which is Service {@code kubernetes}'. */
    static List<IpAddress> serviceAddresses(ApiServerConfig config) {
        return config.serviceCidrs().stream().map(ServingNames::firstAddress).toList();
    }

    private static IpAddress firstAddress(Cidr range) {
        byte[] start = range.address().bytes();
        byte[] next = new BigInteger(1, start).add(BigInteger.ONE).toByteArray();
        byte[] out = new byte[start.length];
        int count = Math.min(next.length, out.length);
        System.arraycopy(next, next.length - count, out, out.length - count, count);
        return IpAddress.of(out);
    }
}
