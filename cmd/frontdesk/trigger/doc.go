// Package trigger makes events happen that applications are told of, so that somebody
// sees their webhooks. Nothing is simulated: the events are in the log like any other.
package trigger
