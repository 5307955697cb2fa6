/** The proxy as a whole: watches in, traffic out. Edge; wires the other packages together behind one entry point. */
package io.sluice.dataplane.proxy;
