/** JMH: the three steps an EndpointSlice goes through before a socket hears of it. */
package io.sluice.bench.micro;
