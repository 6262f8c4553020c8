// Package httpapitest holds what the service says against what its OpenAPI
// description promises: [Contract] checks answers, the requests that were
// accepted, and webhooks.
//
// It reads the description more strictly than clients should: a member that is
// not described is a fault of the service here, and a new feature to a client.
package httpapitest
