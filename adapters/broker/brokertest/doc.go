// Package brokertest runs NATS with JetStream in the process of a test. The server of a
// deployment is a program of its own, so only tests import this.
package brokertest
