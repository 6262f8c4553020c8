package signin

import (
	"context"
	"fmt"
	"runtime"
	"time"

	"frontdesk/adapters/fair"
	"frontdesk/domain/staff"
)

// Queue orders the checking and hashing of passwords (D45). Known browsers and members
// who choose a password take turns by account. They have priority over strangers, who
// get every eighth turn or so, and every turn when no one else waits. Strangers take
// turns by source. So neither many attempts of one source nor many sources delay staff
// who use their own browser.
type Queue struct {
	looking   *fair.Turns
	strangers *fair.Turns

	strangerPlaces, knownPlaces *fair.Shares // room to wait

	Limit time.Duration // the maximum wait
}

const (
	allStrangers = "strangers"

	queuePlaces = 256 // of strangers, and as many of known browsers
	queueLimit  = 10 * time.Second
)

// NewQueue uses half of this machine's cores for passwords, so that sign-ins never
// starve the calls of the API.
func NewQueue() *Queue { return QueueOf(max(1, runtime.GOMAXPROCS(0)/2)) }

// QueueOf checks up to atOnce passwords at once.
func QueueOf(atOnce int) *Queue {
	return &Queue{
		looking: fair.NewTurnsBefore(allStrangers, atOnce), strangers: fair.NewTurns(atOnce),
		strangerPlaces: fair.NewShares(queuePlaces), knownPlaces: fair.NewShares(queuePlaces),
		Limit: queueLimit,
	}
}

// Waiting returns the number of waiters.
func (q *Queue) Waiting() int { return q.looking.Waiting() + q.strangers.Waiting() }

// Show registers the queue's metrics.
func (q *Queue) Show(in *fair.Metrics) {
	in.Seats(map[string]*fair.Shares{"sign-ins-known": q.knownPlaces, "sign-ins-strangers": q.strangerPlaces})
	in.Turns(map[string]*fair.Turns{"passwords": q.looking, "strangers": q.strangers})
}

// place is where an attempt waits, and its turns.
type place struct {
	seat  *fair.Seat
	turns []turn // taken one after the other
	limit time.Duration
}

type turn struct {
	*fair.Turns
	holder string
}

func (q *Queue) ofStranger(t Try) place {
	return place{q.strangerPlaces.Seat(t.Source), []turn{{q.strangers, t.Source}, {q.looking, allStrangers}}, q.Limit}
}

func (q *Queue) ofKnown(t Try) place {
	return q.ofAccount("staff " + t.Tenant + " " + t.Username)
}

// ofMember is the place of a member who chooses a password.
func (q *Queue) ofMember(tenant string, member staff.ID) place {
	return q.ofAccount("member " + tenant + " " + member.String())
}

func (q *Queue) ofAccount(account string) place {
	return place{q.knownPlaces.Seat(account), []turn{{q.looking, account}}, q.Limit}
}

// wait returns when it is its turn, with a function to end the turn. The error is
// [ErrBusy].
func (p place) wait(ctx context.Context) (end func(), err error) {
	if !p.seat.Take() {
		return nil, ErrBusy
	}
	ctx, cancel := context.WithTimeout(ctx, p.limit)
	defer cancel()
	for i, t := range p.turns {
		if err := t.Take(ctx, t.holder); err != nil {
			place{p.seat, p.turns[:i], p.limit}.end()
			return nil, fmt.Errorf("%w (%w)", ErrBusy, err)
		}
	}
	return p.end, nil
}

func (p place) end() {
	for _, t := range p.turns {
		t.Release(t.holder)
	}
	p.seat.Release()
}
