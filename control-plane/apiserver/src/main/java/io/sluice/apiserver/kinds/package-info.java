/**
 * The built-in kinds: what each is called, what is special about it, how its Table looks. Pure. May import {@code api}, {@code registry},
 * {@code schema}, {@code validation} and {@code allocator}.
 */
package io.sluice.apiserver.kinds;
