/** The Kubernetes API over HTTPS: generic over kinds, which are descriptors in one registry. */
package io.sluice.apiserver;
