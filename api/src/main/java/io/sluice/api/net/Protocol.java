package io.sluice.api.net;

/** Transport protocols a Service port can carry; names equal the API's words. */
public enum Protocol {
    TCP,
    UDP,
    SCTP
}
