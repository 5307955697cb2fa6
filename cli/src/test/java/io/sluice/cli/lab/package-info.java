/** What tests need that run the product as a user does: the process, kubectl, servers behind Services. */
package io.sluice.cli.lab;
