// Package tracingtest is a collector of traces for tests: it takes OTLP over HTTP on
// loopback, and keeps what it was sent.
package tracingtest
