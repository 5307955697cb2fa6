/**
 * What the planners of all kernel modes share: settings of a node, facts about it, and the packets and fates by which their programs are
 * compared. Pure; may import {@code endpoints} and {@code api} alone.
 */
package io.sluice.rules;
