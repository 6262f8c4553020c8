// Package benchtest measures a rate beside its floor, which is the least that
// work of its kind can cost on the same machine. The two take turns, so that
// the machine's moods affect both alike. What counts is their ratio.
package benchtest
