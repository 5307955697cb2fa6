package io.sluice.apiserver.validation;

import io.sluice.api.net.Cidr;
import io.sluice.api.net.IpAddress;
import io.sluice.api.net.IpFamily;

import java.util.Optional;

/** Which addresses the API takes where. */
final class Addresses {
    static final String NOT_AN_IP = "must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)";
    static final String NOT_A_CIDR =
            "must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)";
    private static final Cidr MULTICAST_4 = Cidr.of("224.0.0.0/24");
    private static final Cidr MULTICAST_6 = Cidr.of("ff02::/16");

    private Addresses() {}

    /** An address traffic may be sent to: neither unspecified nor bound to one machine or link. */
    static void unicast(String field, String text, FieldErrors errors) {
        Optional<IpAddress> address = IpAddress.parse(text);
        if (address.isEmpty()) {
            errors.invalid(field, text, NOT_AN_IP);
            return;
        }
        notSpecial(field, text, address.get(), errors);
    }

    static void ofFamily(String field, String text, IpFamily family, FieldErrors errors) {
        Optional<IpAddress> address = IpAddress.parse(text).filter(ip -> ip.family() == family);
        if (address.isEmpty()) {
            errors.invalid(
                    field,
                    text,
                    "must be a valid " + (family == IpFamily.IPV4 ? "IPv4" : "IPv6") + " address");
            return;
        }
        notSpecial(field, text, address.get(), errors);
    }

    private static void notSpecial(
            String field, String text, IpAddress address, FieldErrors errors) {
        if (address.isUnspecified()) {
            errors.invalid(field, text, "may not be unspecified (" + text + ')');
        }
        if (address.isLoopback()) {
            errors.invalid(field, text, "may not be in the loopback range (127.0.0.0/8, ::1/128)");
        }
        if (address.isLinkLocal()) {
            errors.invalid(
                    field, text, "may not be in the link-local range (169.254.0.0/16, fe80::/10)");
        }
        if (MULTICAST_4.contains(address) || MULTICAST_6.contains(address)) {
            errors.invalid(
                    field,
                    text,
                    "may not be in the link-local multicast range (224.0.0.0/24, ff02::/10)");
        }
    }
}
