// Package httpapitest compares what the service does with what its OpenAPI
// description promises. [Contract] checks answers, accepted requests and
// webhooks.
//
// It reads the description more strictly than clients should. A member that is
// not described is an error of the service here; to a client it is a new
// feature.
package httpapitest
