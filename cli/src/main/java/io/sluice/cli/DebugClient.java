package io.sluice.cli;

import java.io.IOException;
import java.io.InputStream;
import java.net.HttpURLConnection;
import java.net.URI;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;

/** Asks a proxy's debug pages, which its metrics server has on loopback. */
final class DebugClient {
    private static final int TIMEOUT_MS = 10_000;

    private final String address;

    /** @param address {@code host:port} of the proxy's metrics server */
    DebugClient(String address) {
        this.address = address;
    }

    /** @param from empty for everybody */
    String explain(String target, String from, boolean json) throws IOException {
        return get("/debug/explain?target=" + URLEncoder.encode(target, StandardCharsets.UTF_8)
                + (from.isEmpty() ? "" : "&from=" + URLEncoder.encode(from, StandardCharsets.UTF_8))
                + "&format=" + (json ? "json" : "text"));
    }

    String get(String path) throws IOException {
        HttpURLConnection connection = (HttpURLConnection)
                URI.create("http://" + address + path).toURL().openConnection();
        connection.setConnectTimeout(TIMEOUT_MS);
        connection.setReadTimeout(TIMEOUT_MS);
        try {
            int code = connection.getResponseCode();
            try (InputStream in =
                    code < 400 ? connection.getInputStream() : connection.getErrorStream()) {
                String body =
                        in == null ? "" : new String(in.readAllBytes(), StandardCharsets.UTF_8);
                if (code != 200) {
                    throw new IOException(
                            "the proxy at " + address + " answered " + code + ": " + body.strip());
                }
                return body;
            }
        } catch (java.net.ConnectException e) {
            throw new IOException(
                    "no proxy answers at " + address + " (" + e.getMessage()
                            + "); is one running, and is this its --metrics-bind-address?",
                    e);
        } finally {
            connection.disconnect();
        }
    }
}
