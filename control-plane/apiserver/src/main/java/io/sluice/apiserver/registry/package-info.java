/** What the server knows of each kind: descriptors, strategies, refusals. Pure, but for the allocators' state. */
package io.sluice.apiserver.registry;
