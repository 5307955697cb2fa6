package io.sluice.cli.packets;

import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.Map;

/** Everything of a node that a proxy may change, as the tools print it. */
record NodeRules(Map<String, String> byCommand) {
    private static final String[] COMMANDS = {
        "nft list ruleset",
        "iptables-legacy-save",
        "ip6tables-legacy-save",
        "ipset list",
        "ip addr",
        "ip route show table all",
        "ip -6 route show table all",
        "ip rule",
    };

    static NodeRules of(NetSpace node) throws IOException {
        Map<String, String> out = new LinkedHashMap<>();
        for (String command : COMMANDS) {
            out.put(command, stable(node.exec("", command.split(" "))));
        }
        return new NodeRules(out);
    }

    /** Without dates, counters and remaining lifetimes. */
    private static String stable(String text) {
        return text.lines()
                .filter(line -> !line.startsWith("#"))
                .map(line ->
                        line.replaceAll("\\[\\d+:\\d+\\]", "").replaceAll("expires \\d+sec", ""))
                .reduce("", (all, line) -> all + line + '\n');
    }

    @Override
    public String toString() {
        StringBuilder out = new StringBuilder();
        byCommand.forEach(
                (command, text) -> out.append("$ ").append(command).append('\n').append(text));
        return out.toString();
    }
}
