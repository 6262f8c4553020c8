// Package outbound makes all calls to untrusted addresses: applications' key sets and
// webhook receivers.
//
// An untrusted address may resolve into our own network, or start to after it was
// registered (SSRF, DNS rebinding). So each address is checked after all name
// resolution, just before the operating system connects.
//
//   - [Guard] allows public addresses and the networks that the operator opened
//     (--allow-network).
//   - [Guard.CheckURL] checks the text of an address, at registration and again before
//     each call.
//   - [NewTransport] and [NewClient] dial through a Guard: no proxy, no redirects, no
//     HTTP/2 retries, no decompression.
//
// Trust: the DNS server is not trusted, and the application that registered an address
// is not trusted either. At worst they make us connect to a public address, or to one
// that the operator opened.
package outbound
