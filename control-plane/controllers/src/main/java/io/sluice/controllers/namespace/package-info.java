/** Empties namespaces that are being deleted, then lets them go. {@code NamespacePlanner} is pure, the controller is edge. */
package io.sluice.controllers.namespace;
