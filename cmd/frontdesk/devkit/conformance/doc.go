// Package conformance tests integrators' programs from the other side of the wire: receivers
// of webhooks and clients of the Transactional API. It plays the service and simulates
// attackers, rotations and bad networks. For each check it reports whether it was passed,
// which clause requires it, and the reason of a failure.
//
//   - [Receiver] sends webhooks to a receiver: right ones, forged ones, old ones, and
//     rubbish. receiver_checks.go lists them.
//   - [Client] runs a client against an imitation of the API that refuses, is busy and
//     cuts connections. client_checks.go lists its checks.
//   - [Result] is the result of one check of either.
//
// A receiver is judged by its answers: a 2xx accepts a webhook, a 4xx refuses it. If it
// reports how many webhooks it has processed, that counts as well. A client is judged by the
// calls that arrive and by its exit status.
package conformance
