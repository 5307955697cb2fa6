package io.sluice.apiserver.pki;

import io.sluice.api.net.IpAddress;

import java.security.cert.CertificateParsingException;
import java.security.cert.X509Certificate;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/** Names a serving certificate is for. */
public record SubjectNames(Set<String> dns, Set<String> addresses) {
    private static final int DNS = 2;
    private static final int ADDRESS = 7;

    public static SubjectNames of(Collection<String> dns, Collection<IpAddress> addresses) {
        Set<String> texts = new TreeSet<>();
        addresses.forEach(address -> texts.add(address.toString()));
        return new SubjectNames(new TreeSet<>(dns), texts);
    }

    static SubjectNames of(X509Certificate certificate) {
        Set<String> dns = new TreeSet<>();
        Set<String> addresses = new TreeSet<>();
        try {
            Collection<List<?>> names = certificate.getSubjectAlternativeNames();
            for (List<?> name : names == null ? List.<List<?>>of() : names) {
                String text = String.valueOf(name.get(1));
                if (name.get(0).equals(DNS)) {
                    dns.add(text);
                } else if (name.get(0).equals(ADDRESS)) {
                    IpAddress.parse(text).ifPresent(address -> addresses.add(address.toString()));
                }
            }
        } catch (CertificateParsingException e) {
            return new SubjectNames(Set.of(), Set.of());
        }
        return new SubjectNames(dns, addresses);
    }

    boolean covers(SubjectNames other) {
        return dns.containsAll(other.dns) && addresses.containsAll(other.addresses);
    }
}
