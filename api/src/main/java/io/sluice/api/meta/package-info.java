/** Names of kinds, collections and objects, and what every object's metadata holds. Pure; imports nothing of Sluice. */
package io.sluice.api.meta;
