// Package outbound is the one way in which frontdesk calls addresses that
// strangers gave it: applications' key sets and webhook receivers.
//
// A stranger's address may name a machine inside our own network, or begin to do
// so after it was registered. So each address is judged after all name resolution,
// when the operating system is about to connect and nothing can change any more.
//
//   - [Guard] allows public addresses and the networks that the operator opened
//     (--allow-network).
//   - [Guard.CheckURL] judges what the text of an address shows, at registration and
//     again before each call.
//   - [NewTransport] and [NewClient] dial through a Guard: no proxy, no redirects, no
//     second attempt by HTTP/2, no decompression.
//
// Trust: the DNS server is not trusted, and the application that registered an
// address is not trusted either. At most they can make us connect to a public
// address, or to one that the operator opened.
package outbound
