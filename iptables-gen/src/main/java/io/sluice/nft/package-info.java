/**
 * The nftables program of a node: what it is made of, what it must be, and what to change in it. Pure, but for {@link
 * io.sluice.nft.NftPlanner}, which one thread owns. May import {@code io.sluice.rules}, {@code endpoints} and {@code api}.
 *
 * <p>Rules and chains do not grow with Services: maps carry everything. A frontend is an address, protocol and port; NodePorts are
 * frontends at each address of the node on which they answer.
 */
package io.sluice.nft;
