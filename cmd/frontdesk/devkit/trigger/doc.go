// Package trigger causes events that applications receive as webhooks. Nothing is simulated:
// the events are in the log like any other.
package trigger
