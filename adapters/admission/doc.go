// Package admission limits each caller's share of the service. It is independent of the
// work:
//
//   - [Shares] is a semaphore whose permits are shared fairly, so that newcomers find
//     one.
//   - [Turns] is a fair queue for a scarce resource.
//   - [Budget] is a rate limit for each caller.
//   - [Metrics] measures permits and queues.
package admission
