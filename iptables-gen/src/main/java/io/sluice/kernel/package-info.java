/**
 * The one door to the kernel: native calls through jnr-ffi in two layers, a bare binding ({@code LibC}) and checked wrappers that turn
 * errno into one typed exception. Edge. Imports jnr-ffi and {@code api.net} alone.
 */
package io.sluice.kernel;
