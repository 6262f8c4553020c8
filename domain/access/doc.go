// Package access decides who may call which endpoint, and knows what is
// recorded of every call that was judged.
//
//   - [Endpoints] is the catalogue: a row for each operation of the
//     Transactional API. Nothing else lists them.
//   - [Judge] is the one place that allows or refuses a call. It is pure: a
//     [Caller] is what the token claims and what the caller has a right to at
//     one instant. The API asks it about live calls, auditors about past ones.
//   - A [Refusal] carries the [Rule] that refused, and what the caller is told.
//   - A [Call] is a line of the access record (D37): whose the call was and how
//     it ended.
//
// Whether a token is genuine was found out before. Whether the input of a call
// is sound, and whether the practice takes it, is asked afterwards.
package access
