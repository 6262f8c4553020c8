//go:build prove

package trouble_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"frontdesk/adapters/provetest"
)

// plan is all that a seed decides of a world.
type plan struct {
	seed      uint64
	processes int      // that sequence, consume and send
	settings  []string // of the database, each of them odd
	rounds    []round
}

// round is a few seconds of trouble.
type round struct {
	lasts   time.Duration
	writers []string // the habit of each
	failing int      // how many of a hundred attempts the moody consumer fails
	rude    int      // how many of a hundred webhooks the receiver does not answer properly
	strokes []stroke
}

// stroke is trouble at a moment of a round.
type stroke struct {
	at   time.Duration
	what string
	dice uint64 // for the stroke's own choices
}

const roundsOfAWorld = 6

// draw makes the plan of a seed, and the same one each time.
func draw(seed uint64) plan {
	d := diceOf(seed, dicePlan)
	p := plan{seed: seed, processes: 2 + d.IntN(2), settings: some(d, oddSettings, d.IntN(4))}
	if d.IntN(2) == 0 {
		p.settings = append(p.settings, "synchronous_commit = off") // the one that would cost most
	}
	for range roundsOfAWorld {
		p.rounds = append(p.rounds, drawRound(d))
	}
	return p
}

func drawRound(d *rand.Rand) round {
	r := round{
		lasts:   time.Duration(1500+d.IntN(3500)) * time.Millisecond,
		failing: d.IntN(3) * d.IntN(30), rude: d.IntN(3) * d.IntN(20),
	}
	for range 4 + d.IntN(12) {
		r.writers = append(r.writers, pick(d, habits).name)
	}
	for range d.IntN(7) {
		r.strokes = append(r.strokes, stroke{at: time.Duration(d.Int64N(int64(r.lasts))).Round(time.Millisecond), what: pick(d, troubles).name, dice: d.Uint64()})
	}
	slices.SortFunc(r.strokes, func(a, b stroke) int { return int(a.at - b.at) })
	slices.Sort(r.writers)
	return r
}

// diceOf is the dice of an actor in a world. Each has their own, so that the throws of one do
// not depend on the timing of others.
func diceOf(seed, whose uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, whose)) }

func pick[T any](d *rand.Rand, from []T) T { return from[d.IntN(len(from))] }

// some picks n different ones.
func some(d *rand.Rand, from []string, n int) (picked []string) {
	for _, i := range d.Perm(len(from))[:n] {
		picked = append(picked, from[i])
	}
	return picked
}

func (p plan) String() string {
	return fmt.Sprintf("seed %d: %d rounds, %d processes, %s", p.seed, len(p.rounds), p.processes, strings.Join(p.settings, ", "))
}

func (r round) String() string {
	var text strings.Builder
	_, _ = fmt.Fprintf(&text, "%s, writers %s, the moody consumer fails %d%%, the receiver is rude to %d%%",
		r.lasts, strings.Join(r.writers, " "), r.failing, r.rude)
	for _, s := range r.strokes {
		_, _ = fmt.Fprintf(&text, "\n\tafter %s: %s", s.at, s.what)
	}
	return text.String()
}

func TestProveThatASeedHasOnePlan(t *testing.T) {
	t.Parallel()
	say := func(seed uint64) string { return fmt.Sprintf("%+v", draw(seed)) }
	one, again, two := say(1), say(1), say(2)
	if one != again || one == two {
		t.Errorf("seed 1 is %s and %s, seed 2 is %s", one, again, two)
	}
	provetest.Tried(t, 3, "plans")
}
