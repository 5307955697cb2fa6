package io.sluice.apiserver.http;

import io.netty.channel.Channel;
import io.netty.handler.ssl.SslHandler;

import java.security.cert.Certificate;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.List;

import javax.net.ssl.SSLPeerUnverifiedException;

/** The certificates a client showed in its handshake. */
final class PeerCertificates {
    private PeerCertificates() {}

    /** @param channel a connection, or a stream of one */
    static List<X509Certificate> of(Channel channel) {
        SslHandler tls = channel.pipeline().get(SslHandler.class);
        if (tls == null && channel.parent() != null) {
            tls = channel.parent().pipeline().get(SslHandler.class);
        }
        if (tls == null) {
            return List.of();
        }
        try {
            List<X509Certificate> out = new ArrayList<>();
            for (Certificate certificate : tls.engine().getSession().getPeerCertificates()) {
                if (certificate instanceof X509Certificate x509) {
                    out.add(x509);
                }
            }
            return out;
        } catch (SSLPeerUnverifiedException e) {
            return List.of();
        }
    }
}
