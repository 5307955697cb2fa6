/** The command line, and the only place where parts are wired together. Edge. */
package io.sluice.cli;
