// Package fair keeps one caller from taking the service away from the others. It
// knows nothing of what is served:
//
//   - [Shares] are seats, of which no holder gets so many that nothing is left for
//     a newcomer.
//   - [Turns] lets those who wait for something scarce take turns.
//   - [Budget] is what each spender may spend in a time.
//   - [Source] says where a request comes from.
//   - [Answers] ends an answer that its client does not read.
//   - [Metrics] shows how seats and turns are taken.
package fair
