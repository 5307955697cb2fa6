package io.sluice.apiserver.http;

/** Answers requests; each call has a virtual thread of its own and may block. */
@FunctionalInterface
public interface HttpHandler {

    /** Must answer the exchange before it returns; an exchange left unanswered is cut. */
    void handle(HttpExchange exchange);

    /**
     * Whether the body of such a request is worth reading; called on the event loop before the body, and must not block. A request
     * that is not admitted reaches {@link #handle} with an empty body.
     */
    default boolean admitsBody(HttpExchange.Head head) {
        return true;
    }
}
