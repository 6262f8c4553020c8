package signin

import (
	"context"

	"frontdesk/domain/staff"
)

// Round processes the whole queue. last marks the round after which the process stops.
func (j *Journal) Round(ctx context.Context, last bool) error { return j.round(ctx, last) }

// FirstUsername returns the username of the oldest entry.
func (j *Journal) FirstUsername() string { return j.First(1)[0].Username }

// Hold takes a turn of a member who chooses a password.
func (q *Queue) Hold(ctx context.Context) (end func(), err error) {
	return q.memberPlace("elm-street", staff.ID{}).wait(ctx)
}

// Waiting returns the number of waiting happenings.
func (j *Journal) Waiting() int { return len(j.First(j.Limit)) }

// CostOfUnknown returns the cost of checking the password of an unknown username.
func (v PasswordStore) CostOfUnknown() Cost { return v.cost() }
