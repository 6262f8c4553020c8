// Package receiver is the integrator's end: it receives webhooks. The sandbox and
// `frontdesk webhook listen` use it, and integrators may take it as an example.
//
//   - [Handler] receives webhooks by HTTP, verifies them with the client, and answers
//     at once; [Server] serves it by https.
//   - [JSONLines] writes the webhooks to a log.
//   - [Authority] makes certificates for loopback, because webhooks are only sent by
//     https, and no public authority issues certificates for loopback.
package receiver
