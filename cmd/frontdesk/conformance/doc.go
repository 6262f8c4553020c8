// Package conformance tries out what integrators have built, from the other side of the
// wire: receivers of webhooks and clients of the Transactional API. It plays the
// service, does to them what attackers, rotations and bad networks do, and says of each
// check whether it was passed, which clause wants it, and why not.
//
//   - [Receiver] sends webhooks to a receiver: right ones, forged ones, old ones, and
//     rubbish. receiver_checks.go lists them.
//   - [Client] runs a client against an imitation of the API that refuses, is busy and
//     cuts connections. client_checks.go lists what it does.
//   - [Result] is what either says, one for each check.
//
// A receiver is judged by its answers: a 2xx says that it believed a webhook, a 4xx that
// it did not. If it says how many webhooks it has processed, it is judged by that, too. A
// client is judged by the calls that arrive and by its exit status.
package conformance
