package io.sluice.apiserver.auth;

import java.security.cert.CertificateParsingException;
import java.security.cert.X509Certificate;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;

import javax.naming.InvalidNameException;
import javax.naming.ldap.LdapName;
import javax.naming.ldap.Rdn;

/** User and groups from a client's certificate: the common name and the organizations. Thread-safe. */
public final class CertificateAuthenticator {
    private static final int REMEMBERED = 1024;
    private static final String CLIENT_AUTH = "1.3.6.1.5.5.7.3.2";
    private static final String ANY_USAGE = "2.5.29.37.0";

    private final Predicate<X509Certificate> issuedByUs;
    private final Map<X509Certificate, Optional<Identity>> known =
            new LinkedHashMap<>(16, 0.75f, true) {
                private static final long serialVersionUID = 1L;

                @Override
                protected boolean removeEldestEntry(
                        Map.Entry<X509Certificate, Optional<Identity>> eldest) {
                    return size() > REMEMBERED;
                }
            };

    public CertificateAuthenticator(Predicate<X509Certificate> issuedByUs) {
        this.issuedByUs = issuedByUs;
    }

    /** Empty where the certificate proves nothing: another authority's, of another purpose, without a name, or out of its time. */
    public Optional<Identity> identify(X509Certificate certificate, Instant now) {
        boolean inTime = !now.isBefore(certificate.getNotBefore().toInstant())
                && !now.isAfter(certificate.getNotAfter().toInstant());
        if (!inTime) {
            return Optional.empty();
        }
        synchronized (known) {
            Optional<Identity> before = known.get(certificate);
            if (before != null) {
                return before;
            }
        }
        Optional<Identity> found = examine(certificate);
        synchronized (known) {
            known.put(certificate, found);
        }
        return found;
    }

    private Optional<Identity> examine(X509Certificate certificate) {
        if (!isForClients(certificate) || !issuedByUs.test(certificate)) {
            return Optional.empty();
        }
        String user = "";
        List<String> groups = new ArrayList<>();
        try {
            for (Rdn rdn :
                    new LdapName(certificate.getSubjectX500Principal().getName()).getRdns()) {
                String value = String.valueOf(rdn.getValue());
                if (rdn.getType().equalsIgnoreCase("CN")) {
                    user = value;
                } else if (rdn.getType().equalsIgnoreCase("O")) {
                    groups.add(value);
                }
            }
        } catch (InvalidNameException e) {
            return Optional.empty();
        }
        groups.add(Identity.AUTHENTICATED);
        return user.isEmpty()
                ? Optional.empty()
                : Optional.of(new Identity(user, "", List.copyOf(groups)));
    }

    private static boolean isForClients(X509Certificate certificate) {
        try {
            List<String> usages = certificate.getExtendedKeyUsage();
            return usages == null || usages.contains(CLIENT_AUTH) || usages.contains(ANY_USAGE);
        } catch (CertificateParsingException e) {
            return false;
        }
    }
}
