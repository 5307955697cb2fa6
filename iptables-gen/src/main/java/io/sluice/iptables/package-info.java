/**
 * Mode iptables, planned: which rules and chains each family needs, as values that render to {@code iptables-restore} input. Names, marks,
 * order and comments are kube-proxy's, since other software looks for them. Pure; may import {@code rules}, {@code endpoints} and
 * {@code api} alone.
 */
package io.sluice.iptables;
