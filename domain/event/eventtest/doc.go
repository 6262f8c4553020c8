// Package eventtest tests decisions, stored shapes and stores.
//
//   - [Given] … When … Then or Refuses: one decision, in three lines. [Decided]
//     stands for the first two where a stream begins.
//   - [Golden]: the stored shape of events, which is permanent.
//   - [Conformance]: what every store of events must do.
package eventtest
