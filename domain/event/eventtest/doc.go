// Package eventtest tests what is made of events.
//
//   - [Given] … When … Then or Refuses: one decision, in three lines. [Decided]
//     stands for the first two where a stream begins.
//   - [Golden]: the stored shape of events, which is permanent.
//   - [Conformance]: what every store of events must do.
package eventtest
