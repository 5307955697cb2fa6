package io.sluice.nft;

import io.sluice.api.net.IpFamily;

import java.util.List;

/** Changes to the table of one family; the kernel takes all of them at one moment, or none. */
public record Transaction(IpFamily family, List<Command> commands) {
    public boolean isEmpty() {
        return commands.isEmpty();
    }
}
