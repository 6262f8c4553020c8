package signin

import (
	"context"
	"fmt"
	"runtime"
	"time"

	"frontdesk/adapters/fair"
	"frontdesk/domain/staff"
)

// Queue decides whose password is looked at next, or hashed because it was chosen (D45).
// Those whose browser is known and those who choose one take turns by account. They pass by all strangers, to whom every eighth turn or so is
// left, and every turn when nobody else waits. Among themselves, strangers take turns
// by source. So neither many tries of one source nor many sources keep staff waiting
// who use their own browser.
type Queue struct {
	looking   *fair.Turns
	strangers *fair.Turns

	strangerPlaces, knownPlaces *fair.Shares // to wait in

	Limit time.Duration // nobody waits longer
}

const (
	allStrangers = "strangers"

	queuePlaces = 256 // of strangers, and as many of known browsers
	queueLimit  = 10 * time.Second
)

// NewQueue lets half of the cores of this machine look at passwords at once, so that
// signing in never starves the calls of the API.
func NewQueue() *Queue { return QueueOf(max(1, runtime.GOMAXPROCS(0)/2)) }

// QueueOf lets so many passwords be looked at at once.
func QueueOf(atOnce int) *Queue {
	return &Queue{
		looking: fair.NewTurnsBefore(allStrangers, atOnce), strangers: fair.NewTurns(atOnce),
		strangerPlaces: fair.NewShares(queuePlaces), knownPlaces: fair.NewShares(queuePlaces),
		Limit: queueLimit,
	}
}

// Waiting returns how many wait.
func (q *Queue) Waiting() int { return q.looking.Waiting() + q.strangers.Waiting() }

// Show shows the queue as metrics.
func (q *Queue) Show(in *fair.Metrics) {
	in.Seats(map[string]*fair.Shares{"sign-ins-known": q.knownPlaces, "sign-ins-strangers": q.strangerPlaces})
	in.Turns(map[string]*fair.Turns{"passwords": q.looking, "strangers": q.strangers})
}

// place is where one try waits, and the turns that it waits for.
type place struct {
	seat  *fair.Seat
	turns []turn // to be taken one after the other
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

// ofMember is the place of somebody who chooses a password.
func (q *Queue) ofMember(tenant string, member staff.ID) place {
	return q.ofAccount("member " + tenant + " " + member.String())
}

func (q *Queue) ofAccount(account string) place {
	return place{q.knownPlaces.Seat(account), []turn{{q.looking, account}}, q.Limit}
}

// wait returns once the turn has come, and how to end it. The error is [ErrBusy].
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
