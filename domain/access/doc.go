// Package access decides who may call which endpoint, and says what is
// recorded of every call that was judged.
//
//   - [Endpoints] is the catalogue: it has a row for each operation of the
//     Transactional API. Nothing else lists them.
//   - [Judge] is the one place that allows or refuses a call. It is pure: a
//     [Caller] holds what the token claims and what the caller has a right to
//     at one instant. The API asks it about live calls, auditors about past ones.
//   - A [Refusal] carries the [Rule] that refused, and what the caller is told.
//   - A [Call] is a line of the access record: who called, and how it ended. A [Look] is
//     one, too: which patients a page has shown to a member of staff.
//
// Package bearer has checked before that the token is genuine. Whether the input
// of the call is sound, and whether the practice takes it, is decided later.
package access
