package signin

import (
	"errors"
	"time"

	"frontdesk/adapters/fair"
	"frontdesk/domain/fault"
)

// What one source may get wrong: so much at once, and as much again in each period. A
// surgery whose staff share an address has thirty people who each mistype twice.
const (
	practiceGuesses = 60  // at one practice
	sourceGuesses   = 300 // everywhere
	guessesPeriod   = 5 * time.Minute
)

// Guesses is what each source may still get wrong (D45). Whatever username is tried
// counts, so that one password cannot be tried on all of them; so do links and passkeys. A
// try that is right costs nothing. Each process counts by itself.
type Guesses struct {
	now        func() time.Time
	everywhere *fair.Budget[string]
	practice   *fair.Budget[sourceAt]
}

// sourceAt is a source that tries to sign in at a practice, or at a name that is no
// practice's.
type sourceAt struct{ source, tenant string }

// NewGuesses gives every source its whole budget.
func NewGuesses(now func() time.Time) Guesses {
	return Guesses{
		now:        now,
		everywhere: fair.NewBudget[string](sourceGuesses, guessesPeriod, now),
		practice:   fair.NewBudget[sourceAt](practiceGuesses, guessesPeriod, now),
	}
}

// Try lets a source try something that could be guessed: a password, a passkey, a link.
// If it fails with the refusal that stands for a wrong guess, it counts. Once the source
// has no guess left at the practice or everywhere, it is refused in the same way without a
// look, until there is one again.
func (g Guesses) Try(source, tenant string, wrong *fault.Error, try func() error) error {
	if wait := g.spend(source, tenant); wait > 0 {
		return wrong.Until(g.now().Add(wait))
	}
	err := try()
	if !errors.Is(err, wrong) {
		g.giveBack(source, tenant)
	}
	return err
}

// spend counts a try before it is looked at. If there is none left, wait says when
// there will be. The budget for all practices is asked first: it bounds how many names
// of practices a source can make up.
func (g Guesses) spend(source, tenant string) (wait time.Duration) {
	if wait := g.everywhere.Spend(source, 1); wait > 0 {
		return wait
	}
	wait = g.practice.Spend(sourceAt{source, tenant}, 1)
	if wait > 0 {
		g.everywhere.Return(source, 1)
	}
	return wait
}

// giveBack returns a try that was no wrong guess.
func (g Guesses) giveBack(source, tenant string) {
	g.everywhere.Return(source, 1)
	g.practice.Return(sourceAt{source, tenant}, 1)
}
