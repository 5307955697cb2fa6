package io.sluice.apiserver.http;

import io.netty.handler.codec.http.HttpHeaders;

import java.io.IOException;
import java.security.cert.X509Certificate;
import java.util.List;
import java.util.Optional;

/** One request and the answer to it. Used by the one thread that handles it. */
public final class HttpExchange {
    private final Head head;
    private final byte[] body;
    private final Optional<Flaw> flaw;
    private final Answer answer;

    HttpExchange(Head head, byte[] body, Optional<Flaw> flaw, Answer answer) {
        this.head = head;
        this.body = body;
        this.flaw = flaw;
        this.answer = answer;
    }

    /** What is known of a request before its body. Certificates are as presented: nobody has checked them yet. */
    public record Head(
            String method,
            String uri,
            HttpHeaders headers,
            List<X509Certificate> certificates,
            String remoteAddress) {

        /** First value of the header; empty where there is none. */
        public String header(String name) {
            String value = headers.get(name);
            return value == null ? "" : value;
        }
    }

    /** Why a request could not be read to its end. */
    public enum Flaw {
        BODY_TOO_LARGE,
        HEADERS_TOO_LARGE,
        URI_TOO_LONG,
        MALFORMED,
        TIMED_OUT,
        SERVER_FULL
    }

    public Head head() {
        return head;
    }

    public byte[] body() {
        return body;
    }

    /** Present where the request is incomplete and can only be refused; the connection closes after the answer. */
    public Optional<Flaw> flaw() {
        return flaw;
    }

    /** Adds a header to the answer; not after the answer has begun. */
    public void addHeader(String name, String value) {
        answer.headers().add(name, value);
    }

    /** A whole answer. */
    public void respond(int code, String contentType, byte[] content) {
        answer.whole(code, contentType, content);
    }

    /** An answer of unknown length; compressed where it is long and the client likes it. */
    public ResponseStream stream(int code, String contentType) {
        boolean gzip = head.header("accept-encoding").contains("gzip");
        return new ResponseStream(answer, code, contentType, gzip);
    }

    /** An answer that goes on; the head is sent at once, nothing is held back for compression. */
    public ResponseStream follow(int code, String contentType) throws IOException {
        ResponseStream out = new ResponseStream(answer, code, contentType, false);
        out.flush();
        return out;
    }

    /** Runs the action when the client is gone or the server closes, at once if it is already so. Must not block. */
    public void onGone(Runnable action) {
        answer.onGone(action);
    }

    /** The answer has begun. */
    public boolean answered() {
        return answer.begun();
    }

    /** Cuts the connection (HTTP/2: the stream), so that the client sees the answer is incomplete. */
    public void cut() {
        answer.cut();
    }
}
