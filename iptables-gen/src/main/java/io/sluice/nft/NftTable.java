package io.sluice.nft;

import io.sluice.api.net.IpFamily;

import java.util.List;

/** A whole table as a value: for people, for comparing, and for following packets through it. */
public record NftTable(
        IpFamily family, List<SetSpec> sets, List<Chain> chains, List<Element> elements) {}
