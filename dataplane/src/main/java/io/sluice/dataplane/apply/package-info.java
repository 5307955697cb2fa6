/** What the conductor asks of a dataplane, whichever way it carries bytes. Pure. May import {@code endpoints} and {@code api.net}. */
package io.sluice.dataplane.apply;
