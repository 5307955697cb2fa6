/** Names of kinds, collections and objects, and what every object's metadata holds. Pure. */
package io.sluice.api.meta;
