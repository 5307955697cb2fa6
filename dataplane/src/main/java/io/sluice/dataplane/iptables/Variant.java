package io.sluice.dataplane.iptables;

import io.sluice.api.net.IpFamily;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/** The two implementations of iptables, whose rules do not see each other. */
public enum Variant {
    NFT("-nft"),
    LEGACY("-legacy"),
    /** Where there is one alone, without a name of its own. */
    ONLY("");

    /** Chains by which the kubelet tells others which variant a node uses. */
    private static final String[] HINTS = {":KUBE-IPTABLES-HINT ", ":KUBE-KUBELET-CANARY "};

    /** So many rules of others say that legacy is in use. */
    private static final int MANY = 10;

    private final String suffix;

    Variant(String suffix) {
        this.suffix = suffix;
    }

    /** @param verb {@code save}, {@code restore}; empty for iptables itself */
    String command(IpFamily family, String verb) {
        String name = family == IpFamily.IPV4 ? "iptables" : "ip6tables";
        return name + suffix + (verb.isEmpty() ? "" : '-' + verb);
    }

    /** Those whose rules may be here; where both have names of their own, the nameless one is one of them. */
    static List<Variant> installed() {
        List<Variant> named = Stream.of(NFT, LEGACY)
                .filter(variant -> variant.isInstalled(IpFamily.IPV4))
                .toList();
        return named.isEmpty() && ONLY.isInstalled(IpFamily.IPV4) ? List.of(ONLY) : named;
    }

    /** Whether its tools are on the path. */
    public boolean isInstalled(IpFamily family) {
        return Stream.of(System.getenv()
                        .getOrDefault("PATH", "/usr/sbin:/sbin:/usr/bin:/bin")
                        .split(":"))
                .map(dir -> Path.of(dir, command(family, "restore")))
                .anyMatch(Files::isExecutable);
    }

    /**
     * The one that this node uses: where the kubelet left its mark, else where there are rules, else what the node's own
     * {@code iptables} is.
     *
     * @throws IOException where there is none at all
     */
    public static Variant ofThisNode() throws IOException {
        boolean nft = NFT.isInstalled(IpFamily.IPV4);
        boolean legacy = LEGACY.isInstalled(IpFamily.IPV4);
        if (nft && legacy) {
            String nftRules = new Tool(IpFamily.IPV4, NFT).save();
            String legacyRules = new Tool(IpFamily.IPV4, LEGACY).save();
            if (hinted(nftRules)) {
                return NFT;
            }
            if (hinted(legacyRules) || rules(legacyRules) >= MANY && rules(nftRules) < MANY) {
                return LEGACY;
            }
        }
        if (ONLY.isInstalled(IpFamily.IPV4)) {
            String version = new Tool(IpFamily.IPV4, ONLY).version();
            return version.contains("nf_tables") ? nft ? NFT : ONLY : legacy ? LEGACY : ONLY;
        }
        if (nft || legacy) {
            return nft ? NFT : LEGACY;
        }
        throw new IOException("mode iptables needs iptables-restore, and none is on the path "
                + System.getenv("PATH")
                + "; install the package iptables, or use --proxy-mode nftables");
    }

    private static boolean hinted(String saved) {
        return Stream.of(HINTS).anyMatch(saved::contains);
    }

    private static long rules(String saved) {
        return saved.lines().filter(line -> line.startsWith("-")).count();
    }
}
