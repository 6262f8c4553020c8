// Package access decides who may call which endpoint, and defines the record of every
// judged call.
//
//   - [Endpoints] is the catalogue: it has a row for each operation of the
//     Transactional API. No other list of them exists.
//   - [Judge] is the one place that allows or refuses a call. It is pure: a [Caller]
//     holds the claims of the token and the caller's rights at one instant. The API
//     judges live calls with it, auditors past ones.
//   - A [Refusal] carries the [Rule] that refused, and the answer to the caller.
//   - A [Call] is a line of the access record: the caller and the result. So is a
//     [Look]: the patients that a page has shown to a member of staff.
//
// Package bearer has verified the token before. Whether the input of the call is valid,
// and whether the practice accepts it, is decided later.
package access
