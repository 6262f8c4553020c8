// Package receiver is the other end: how an integrator receives webhooks. The
// sandbox and `frontdesk webhook listen` use it, and it may serve as an
// example.
//
//   - [Verifier] checks a webhook as §6.5 says.
//   - [Handler] takes webhooks by HTTP and answers at once.
//   - [Authority] makes certificates for loopback, since webhooks go to https
//     alone, and loopback has no public ones.
package receiver
