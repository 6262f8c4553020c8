package signin

import (
	"time"

	"frontdesk/adapters/fair"
)

// What one source may get wrong: so much at once, and as much again in each period. A
// surgery whose staff share an address has thirty people who each mistype twice.
const (
	practiceGuesses = 60  // at one practice
	sourceGuesses   = 300 // everywhere
	guessesPeriod   = 5 * time.Minute
)

// Guesses is what each source may still get wrong (D45). Whatever username is tried
// counts, so that one password cannot be tried on all of them. A try that signs
// somebody in costs nothing. Each process counts by itself.
type Guesses struct {
	everywhere *fair.Budget[string]
	practice   *fair.Budget[sourceAt]
}

// sourceAt is a source that tries to sign in at a practice, or at a name that is no
// practice's.
type sourceAt struct{ source, tenant string }

// NewGuesses gives every source its whole budget.
func NewGuesses(now func() time.Time) Guesses {
	return Guesses{
		everywhere: fair.NewBudget[string](sourceGuesses, guessesPeriod, now),
		practice:   fair.NewBudget[sourceAt](practiceGuesses, guessesPeriod, now),
	}
}

// Spend counts a try before it is looked at. If there is none left, wait says when
// there will be. The budget for all practices is asked first: it bounds how many names
// of practices a source can make up.
func (g Guesses) Spend(t Try) (wait time.Duration) {
	if wait := g.everywhere.Spend(t.Source, 1); wait > 0 {
		return wait
	}
	wait = g.practice.Spend(sourceAt{t.Source, t.Tenant}, 1)
	if wait > 0 {
		g.everywhere.Return(t.Source, 1)
	}
	return wait
}

// Return gives a try back that was no wrong guess.
func (g Guesses) Return(t Try) {
	g.everywhere.Return(t.Source, 1)
	g.practice.Return(sourceAt{t.Source, t.Tenant}, 1)
}
