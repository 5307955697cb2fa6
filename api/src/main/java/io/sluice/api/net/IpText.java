package io.sluice.api.net;

import java.util.Optional;

/** Text form of addresses, both ways. */
final class IpText {
    private IpText() {}

    static Optional<IpAddress> parse(String text) {
        if (text.indexOf(':') >= 0) {
            return parseV6(text);
        }
        long v4 = parseV4(text);
        return v4 < 0 ? Optional.empty() : Optional.of(new IpAddress(IpFamily.IPV4, 0, v4));
    }

    /** The 32 bits, or -1 where the text is no dotted decimal. */
    private static long parseV4(String text) {
        long value = 0;
        int octets = 0;
        int octet = -1;
        for (int i = 0; i <= text.length(); i++) {
            char c = i < text.length() ? text.charAt(i) : '.';
            if (c == '.') {
                if (octet < 0 || ++octets > 4) {
                    return -1;
                }
                value = value << 8 | octet;
                octet = -1;
            } else if (c >= '0' && c <= '9') {
                octet = Math.max(octet, 0) * 10 + c - '0';
                if (octet > 255) {
                    return -1;
                }
            } else {
                return -1;
            }
        }
        return octets == 4 ? value : -1;
    }

    private static Optional<IpAddress> parseV6(String text) {
        int[] groups = new int[8];
        int count = 0;
        int gap = -1;
        int i = 0;
        if (text.startsWith("::")) {
            gap = 0;
            i = 2;
        }
        while (i < text.length()) {
            if (count == 8) {
                return Optional.empty();
            }
            int end = text.indexOf(':', i);
            String group = end < 0 ? text.substring(i) : text.substring(i, end);
            if (end < 0 && group.indexOf('.') >= 0) {
                long v4 = parseV4(group);
                if (v4 < 0 || count > 6) {
                    return Optional.empty();
                }
                groups[count++] = (int) (v4 >>> 16);
                groups[count++] = (int) (v4 & 0xffff);
                break;
            }
            int value = parseGroup(group);
            if (value < 0) {
                return Optional.empty();
            }
            groups[count++] = value;
            if (end < 0) {
                break;
            }
            i = end + 1;
            if (i < text.length() && text.charAt(i) == ':') {
                if (gap >= 0) {
                    return Optional.empty();
                }
                gap = count;
                i++;
            } else if (i == text.length()) {
                return Optional.empty();
            }
        }
        if (gap < 0 ? count != 8 : count > 7) {
            return Optional.empty();
        }
        return Optional.of(assemble(groups, count, gap));
    }

    /** Leading zeros are allowed here too, as in octets. */
    private static int parseGroup(String group) {
        if (group.isEmpty()) {
            return -1;
        }
        int value = 0;
        for (int i = 0; i < group.length(); i++) {
            char c = group.charAt(i);
            int digit = c < 128 ? Character.digit(c, 16) : -1;
            if (digit < 0) {
                return -1;
            }
            value = value << 4 | digit;
            if (value > 0xffff) {
                return -1;
            }
        }
        return value;
    }

    private static IpAddress assemble(int[] groups, int count, int gap) {
        long high = 0;
        long low = 0;
        int missing = 8 - count;
        for (int i = 0; i < 8; i++) {
            int group;
            if (gap < 0 || i < gap) {
                group = groups[i];
            } else {
                group = i < gap + missing ? 0 : groups[i - missing];
            }
            if (i < 4) {
                high = high << 16 | group;
            } else {
                low = low << 16 | group;
            }
        }
        boolean mapped = high == 0 && low >>> 32 == 0xffff;
        return mapped
                ? new IpAddress(IpFamily.IPV4, 0, low & 0xffffffffL)
                : new IpAddress(IpFamily.IPV6, high, low);
    }

    static String format(IpAddress address) {
        return address.family() == IpFamily.IPV4 ? formatV4(address.low()) : formatV6(address);
    }

    private static String formatV4(long bits) {
        return (bits >>> 24) + "." + (bits >>> 16 & 255) + '.' + (bits >>> 8 & 255) + '.'
                + (bits & 255);
    }

    private static String formatV6(IpAddress address) {
        int[] groups = new int[8];
        for (int i = 0; i < 8; i++) {
            long half = i < 4 ? address.high() : address.low();
            groups[i] = (int) (half >>> 16 * (3 - (i & 3)) & 0xffff);
        }
        int bestStart = -1;
        int bestLength = 1; // RFC 5952 4.2.2: a single zero group is not shortened
        for (int i = 0; i < 8; i++) {
            int length = 0;
            while (i + length < 8 && groups[i + length] == 0) {
                length++;
            }
            if (length > bestLength) {
                bestStart = i;
                bestLength = length;
            }
        }
        StringBuilder out = new StringBuilder(39);
        for (int i = 0; i < 8; i++) {
            if (i == bestStart) {
                out.append("::");
                i += bestLength - 1;
                continue;
            }
            if (!out.isEmpty() && out.charAt(out.length() - 1) != ':') {
                out.append(':');
            }
            out.append(Integer.toHexString(groups[i]));
        }
        return out.toString();
    }
}
