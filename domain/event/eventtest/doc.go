// Package eventtest tests decisions, stored shapes and stores.
//
//   - [Given] … When … Then or Refuses: one decision, in three lines. [Decided]
//     replaces the first two at the beginning of a stream.
//   - [Golden]: the stored shape of events, which is permanent.
//   - [Conformance]: the requirements of every store of events.
package eventtest
