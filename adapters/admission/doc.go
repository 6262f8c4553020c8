// Package admission limits each caller's share of the service. It is independent of the
// work:
//
//   - [FairSemaphore] shares its permits fairly, so that newcomers find one.
//   - [FairQueue] serves waiters in turn, whatever one caller asks for.
//   - [RateLimiter] limits the rate of each caller.
//   - [Metrics] measures permits and queues.
package admission
