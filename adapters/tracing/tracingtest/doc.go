// Package tracingtest is a collector of traces for tests: it receives OTLP over HTTP on
// loopback, and keeps all spans.
package tracingtest
