package signin

import (
	"errors"
	"time"

	"frontdesk/adapters/fair"
	"frontdesk/domain/fault"
)

// The budget of wrong guesses of one source: so many at once, and as many again in each
// period. A surgery whose staff share an address has thirty people who each mistype
// twice.
const (
	practiceGuesses = 60  // at one practice
	sourceGuesses   = 300 // everywhere
	guessesPeriod   = 5 * time.Minute
)

// Guesses limits the wrong guesses of each source (D45). Attempts at all usernames
// count together, so that one password cannot be tried on all of them; links and
// passkeys count as well. A right attempt costs nothing. Each process counts
// separately.
type Guesses struct {
	now        func() time.Time
	everywhere *fair.Budget[string]
	practice   *fair.Budget[sourceAt]
}

// sourceAt is a source at a practice, which may not exist.
type sourceAt struct{ source, tenant string }

// NewGuesses gives every source its whole budget.
func NewGuesses(now func() time.Time) Guesses {
	return Guesses{
		now:        now,
		everywhere: fair.NewBudget[string](sourceGuesses, guessesPeriod, now),
		practice:   fair.NewBudget[sourceAt](practiceGuesses, guessesPeriod, now),
	}
}

// Try runs an attempt at something guessable: a password, a passkey, a link. If it
// fails with the refusal for a wrong guess, it counts. Once the source's budget at the
// practice or everywhere is used up, it gets the same refusal without a check, until
// the budget has grown.
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

// spend counts an attempt before it is checked. If none is left, wait is the time until
// the next. The budget for all practices comes first: it limits the number of invented
// practices.
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

// giveBack refunds an attempt that was not a wrong guess.
func (g Guesses) giveBack(source, tenant string) {
	g.everywhere.Return(source, 1)
	g.practice.Return(sourceAt{source, tenant}, 1)
}
