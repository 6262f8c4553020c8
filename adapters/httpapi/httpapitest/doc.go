// Package httpapitest compares the service with its OpenAPI description. [Contract]
// checks answers, accepted requests and webhooks.
//
// It reads the description more strictly than clients should. Here an undescribed
// member is an error of the service; to a client it is a new feature.
package httpapitest
