/**
 * What the API does with objects: reading, listing, watching, writing, in every kind alike. Pure where it decides, edge where it reads
 * and writes the store. May import {@code registry}, {@code schema}, {@code patch}, {@code watchcache}, {@code http}, {@code auth}.
 */
package io.sluice.apiserver.rest;
