/** Loops that bring the cluster to what its objects ask for; they reach it through the API client alone. Edge. */
package io.sluice.controllers;
