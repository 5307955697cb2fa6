package io.sluice.ipvs;

import java.util.Arrays;
import java.util.Locale;
import java.util.stream.Collectors;

/** How IPVS picks a real server; named as its kernel modules are, {@code ip_vs_rr} and so on. */
public enum Scheduler {
    RR,
    WRR,
    LC,
    WLC,
    LBLC,
    LBLCR,
    DH,
    SH,
    SED,
    NQ,
    MH,
    OVF,
    FO;

    /** The kernel's name. */
    public String word() {
        return name().toLowerCase(Locale.ROOT);
    }

    /**
     * @param word empty for {@code rr}, kube-proxy's default
     * @throws IllegalArgumentException for a name no kernel has
     */
    public static Scheduler parse(String word) {
        if (word.isEmpty()) {
            return RR;
        }
        return Arrays.stream(values())
                .filter(each -> each.word().equals(word))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException(
                        "IPVS scheduler \"" + word + "\" is unknown; expected one of "
                                + Arrays.stream(values())
                                        .map(Scheduler::word)
                                        .collect(Collectors.joining(", "))));
    }
}
