/**
 * The cluster's own certificate authority and what it issues, as files in one directory. Edge. May import {@code api} and
 * BouncyCastle, which is loaded only where something is issued.
 */
package io.sluice.apiserver.pki;
