/** kube-proxy's configuration file and flags, and what they mean here. Pure. May import {@code api} without its client. */
package io.sluice.dataplane.config;
