// Package benchtest measures work beside its floor, which is the least that work of
// its kind can cost on the same machine. The two take turns in a random order, so that
// the machine's moods affect both alike. What counts is their ratio, and the CPU that
// one operation takes: on a busy machine, rates move by more than either.
package benchtest
