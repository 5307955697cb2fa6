package io.sluice.dataplane.http;

import java.nio.charset.StandardCharsets;
import java.util.Map;

/** An answer. @param headers beyond content type and length */
public record HttpReply(int status, String contentType, Map<String, String> headers, byte[] body) {

    public static HttpReply text(int status, String text) {
        return of(status, "text/plain; charset=utf-8", text);
    }

    public static HttpReply json(int status, String json) {
        return of(status, "application/json", json);
    }

    public static HttpReply of(int status, String contentType, String text) {
        return new HttpReply(status, contentType, Map.of(), text.getBytes(StandardCharsets.UTF_8));
    }

    public HttpReply with(String header, String value) {
        Map<String, String> all = new java.util.LinkedHashMap<>(headers);
        all.put(header, value);
        return new HttpReply(status, contentType, all, body);
    }
}
