// Package benchtest measures a rate beside its floor: the least that work of its
// kind can be on the same machine. They take turns, so that a machine's moods
// meet both alike, and what counts is their ratio.
package benchtest
