package io.sluice.iptables;

import io.sluice.endpoints.Backend;
import io.sluice.endpoints.ServicePortName;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.List;

/** Names of chains. Those of Services and endpoints carry 16 characters of a hash: a chain's name has at most 28. */
final class ChainNames {
    static final String SERVICES = "KUBE-SERVICES";
    static final String EXTERNAL_SERVICES = "KUBE-EXTERNAL-SERVICES";
    static final String NODE_PORTS = "KUBE-NODEPORTS";
    static final String POSTROUTING = "KUBE-POSTROUTING";
    static final String MARK_MASQ = "KUBE-MARK-MASQ";
    static final String FORWARD = "KUBE-FORWARD";
    static final String PROXY_FIREWALL = "KUBE-PROXY-FIREWALL";
    static final String FIREWALL = "KUBE-FIREWALL";
    static final String CANARY = "KUBE-PROXY-CANARY";

    private static final String CLUSTER = "KUBE-SVC-";
    private static final String LOCAL = "KUBE-SVL-";
    private static final String EXTERNAL = "KUBE-EXT-";
    private static final String RANGES = "KUBE-FW-";
    private static final String ENDPOINT = "KUBE-SEP-";
    private static final List<String> OURS = List.of(CLUSTER, LOCAL, EXTERNAL, RANGES, ENDPOINT);
    private static final String BASE32 = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
    private static final int HASH_LENGTH = 16;

    private static final List<String> FIXED = List.of(
            SERVICES,
            EXTERNAL_SERVICES,
            NODE_PORTS,
            POSTROUTING,
            MARK_MASQ,
            FORWARD,
            PROXY_FIREWALL,
            FIREWALL,
            CANARY);

    /** Of a kube-proxy in mode IPVS. */
    private static final List<String> OF_IPVS = List.of(
            "KUBE-NODE-PORT",
            "KUBE-LOAD-BALANCER",
            "KUBE-SOURCE-RANGES-FIREWALL",
            "KUBE-IPVS-FILTER",
            "KUBE-IPVS-OUT-FILTER");

    private ChainNames() {}

    /** Whether a chain of this name is the proxy's, or a kube-proxy's in mode iptables or IPVS. */
    static boolean isOurs(String chain) {
        return FIXED.contains(chain) || OF_IPVS.contains(chain) || isPerService(chain);
    }

    /** Whether it is the chain of a Service or an endpoint. */
    static boolean isPerService(String chain) {
        return OURS.stream().anyMatch(chain::startsWith);
    }

    /** All endpoints under policy Cluster. */
    static String cluster(ServicePortName port) {
        return CLUSTER + hash(text(port));
    }

    /** All endpoints under policy Local. */
    static String local(ServicePortName port) {
        return LOCAL + hash(text(port));
    }

    /** Where external addresses and node ports lead. */
    static String external(ServicePortName port) {
        return EXTERNAL + hash(text(port));
    }

    /** Who may use the VIPs. */
    static String ranges(ServicePortName port) {
        return RANGES + hash(text(port));
    }

    static String endpoint(ServicePortName port, Backend backend) {
        return ENDPOINT + hash(text(port) + backend.text());
    }

    private static String text(ServicePortName port) {
        return port + port.protocol().name().toLowerCase();
    }

    private static String hash(String text) {
        byte[] digest;
        try {
            digest = MessageDigest.getInstance("SHA-256")
                    .digest(text.getBytes(StandardCharsets.UTF_8));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java has SHA-256", e);
        }
        StringBuilder out = new StringBuilder(HASH_LENGTH);
        for (int bit = 0; out.length() < HASH_LENGTH; bit += 5) {
            int at = bit / 8;
            int two = (digest[at] & 0xff) << 8 | digest[at + 1] & 0xff;
            out.append(BASE32.charAt(two >> 11 - bit % 8 & 31));
        }
        return out.toString();
    }
}
