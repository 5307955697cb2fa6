/** Addresses, blocks and protocols as values. Pure; imports nothing of Sluice. */
package io.sluice.api.net;
