/** The objects every cluster has, made at start through the same write path as all others. Edge. */
package io.sluice.apiserver.bootstrap;
