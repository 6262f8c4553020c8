// Package outbound is the one way in which frontdesk calls addresses that
// strangers gave it: applications' key sets (§5.1) and webhook receivers
// (§6.3).
//
// A stranger's address may name a machine inside our own network, or begin to
// do so after it was registered. So the address is judged when nothing can
// change any more: after all name resolution, when the operating system is
// about to connect, once for every address tried.
//
//   - [Guard] allows public addresses and the networks that the operator opened
//     (--allow-network).
//   - [Guard.CheckURL] judges what the text of an address shows, at registration and
//     again before each call.
//   - [NewTransport] and [NewClient] dial through a Guard: no proxy, no redirects, no
//     second attempt by HTTP/2, no decompression.
//
// Trust: neither the DNS server nor whoever registered an address is trusted.
// At most they can make us connect to a public address, or to one that the
// operator opened.
package outbound
