// Package receiver is the integrator's end: it receives webhooks. The sandbox
// and `frontdesk webhook listen` use it, and integrators may take it as an
// example.
//
//   - [Handler] takes webhooks by HTTP, verifies them with the client, and answers at once;
//     [Server] serves it by https.
//   - [Journal] writes the webhooks down.
//   - [Authority] makes certificates for loopback, because webhooks are only sent by
//     https, and nobody issues public certificates for loopback.
package receiver
