/**
 * HTTP/1.1 and HTTP/2 over TLS: from bytes to an exchange on a virtual thread, and back with back-pressure. Edge. May import Netty; knows
 * nothing of Kubernetes.
 */
package io.sluice.apiserver.http;
