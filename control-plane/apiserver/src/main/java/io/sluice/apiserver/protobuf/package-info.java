/**
 * Objects as typed Go clients send them: the API's protobuf form, read with the same schemas as JSON and a table of field numbers. Only
 * read: every client takes JSON for an answer. Pure. May import {@code schema}.
 */
package io.sluice.apiserver.protobuf;
