/**
 * What is wrong with an object or a change, in the API's words. Pure. May import {@code api}, {@code registry}'s records and Jackson.
 */
package io.sluice.apiserver.validation;
