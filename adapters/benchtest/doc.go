// Package benchtest compares work with its floor, which is the minimum cost of its kind
// on the same machine. The two take turns in a random order, so that changes of the
// machine's load affect both alike. The results are their ratio, and the CPU of one
// operation: on a busy machine, rates vary by more than either.
package benchtest
