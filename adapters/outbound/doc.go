// Package outbound is the one way in which frontdesk calls addresses that
// strangers gave it: applications' key sets (§5.1) and webhook receivers
// (§6.3).
//
// A stranger's address may name, or start to name after it was registered,
// a machine inside our own network. So the address is judged where nothing
// can change any more: when the operating system is about to connect, after
// all name resolution, once for every address tried.
//
//   - [Guard] holds what the operator opened on purpose (--allow-network);
//     everything that is not public is closed otherwise.
//   - [Guard.CheckURL] judges what can be judged from the text alone, at
//     registration and again before each call.
//   - [NewTransport] and [NewClient] dial through a Guard: no proxy, no
//     redirects, no second attempt by HTTP/2 or decompression.
//
// Trust: the DNS server and whoever registered an address are not trusted;
// at most they can make us connect to a public address, or to one that the
// operator opened.
package outbound
