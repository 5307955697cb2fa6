/**
 * Mode IPVS, planned: the virtual and real servers a node's kernel should hold, and what to do where it holds others. Pure; may import
 * {@code rules}, {@code endpoints} and {@code api} alone.
 */
package io.sluice.ipvs;
