/** Many Services through the real API server and proxy, in one process of their own. Edge. */
package io.sluice.bench.scale;
