/**
 * The store inside this process: an append-only log in SQLite, an index of it in memory, one committer thread.
 *
 * <p>Kind: edge ({@code SqliteLog}, {@code WalFile}, {@code AcknowledgedMark}, {@code Reserve}, {@code DirectoryLock}) around state
 * ({@code Committer}: the committer thread; {@code EmbeddedWatch}: its own thread). Imports the contract, sqlite-jdbc, slf4j.
 */
package io.sluice.store.embedded;
