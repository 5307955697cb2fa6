/** Whether the proxy is well, told over HTTP as kube-proxy tells it. State and edge. May import {@code http} and {@code endpoints}. */
package io.sluice.dataplane.health;
