package signin

import "context"

// Round tells the log of all that waits. last says that there will be no other round.
func (j *Journal) Round(ctx context.Context, last bool) error { return j.round(ctx, roundLimit, last) }

// Waiting returns how many happenings wait for a round.
func (j *Journal) Waiting() int { return len(j.next(j.Limit)) }
