package signin

import (
	"context"
	"log/slog"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/prometheus/client_golang/prometheus"

	"frontdesk/adapters/background"
	"frontdesk/adapters/fair"
	"frontdesk/commands"
	"frontdesk/domain/event"
	"frontdesk/domain/staff"
)

// Journal tells the log who has signed in and out, and what was tried in vain (D65). It
// does so behind the answer: its methods never wait and never fail, and do the same
// whether there is such an account or not. The goroutine in Run finds out whose account it
// is, and appends. A nil Journal tells nobody.
type Journal struct {
	Store commands.Store
	DB    Database
	Tries Tries // asked whether an account is locked for everybody
	Now   func() time.Time

	background.WriteBehind[happening] // its Limit bounds the accounts with tries, too: some hundred bytes each

	metrics journalMetrics
	sources keys                 // of the marks in the log
	counts  keys                 // of Tries, deleted here also while there are no tries
	told    *fair.Budget[string] // what the log is told of tries at a practice

	tried map[account]*pending // of Run alone
}

// What one process tells the log of tries at the accounts of one practice: so many events
// at once, and as many again in each period. The rest waits and is counted.
const (
	practiceEvents       = 60
	practiceEventsPeriod = time.Minute
)

// NewJournal returns a journal with the usual limits. It registers the counters
// frontdesk_sign_in_events_total and frontdesk_sign_in_events_lost_total.
func NewJournal(store commands.Store, db Database, tries Tries, registry prometheus.Registerer, log *slog.Logger) *Journal {
	return &Journal{
		Store: store, DB: db, Tries: tries, Now: tries.Now,
		WriteBehind: background.WriteBehind[happening]{
			Limit: 1 << 14, Pace: 100 * time.Millisecond, Retry: time.Second, Final: lastLimit,
			Fails: "the journal of sign-ins waits for the database", Log: log,
		},
		metrics: newJournalMetrics(registry),
		sources: sourceKeys(db),
		counts:  triesKeys(db),
		told:    fair.NewBudget[string](practiceEvents, practiceEventsPeriod, tries.Now),
		tried:   map[account]*pending{},
	}
}

// Attempt is one try to sign in, or the session that came of it.
type Attempt struct {
	Tenant   string
	Username string    // as it was typed; "" if Staff says whose account it is
	Staff    staff.ID  // zero if only the username is known
	How      staff.How // what was shown
	Source   string    // an address or a network, as fair.Source returns it
	Session  uuid.UUID // zero unless one was begun
}

// SignedIn notes that a session has begun. It needs Staff and Session.
func (j *Journal) SignedIn(ctx context.Context, a Attempt) { j.note(ctx, a, signedIn, time.Time{}) }

// SignedOut notes that a member of staff has ended a session. It needs Staff and Session.
func (j *Journal) SignedOut(ctx context.Context, a Attempt) { j.note(ctx, a, signedOut, time.Time{}) }

// Failed notes that what was shown was looked at and was not right. There need not be
// such an account.
func (j *Journal) Failed(ctx context.Context, a Attempt) { j.note(ctx, a, failed, time.Time{}) }

// LockedOut notes that nothing is looked at until an instant, because of what was tried.
// There need not be such an account.
func (j *Journal) LockedOut(ctx context.Context, a Attempt, until time.Time) {
	j.note(ctx, a, lockedOut, until)
}

// kind is what has happened.
type kind int

const (
	signedIn kind = iota
	signedOut
	failed
	lockedOut
)

// happening is what waits for Run.
type happening struct {
	Attempt
	kind    kind
	at      time.Time
	until   time.Time // of a lock
	request string
}

// note queues what has happened. It is lost, and counted, if too much is waiting already
// or if Run has ended.
func (j *Journal) note(ctx context.Context, a Attempt, k kind, until time.Time) {
	if j == nil {
		return
	}
	h := happening{a, k, j.instant(), until.UTC(), event.MetadataFrom(ctx).RequestID}
	h.Username = bounded(h.Username)
	if !j.Put(h) {
		j.metrics.lost.Inc()
	}
}

// longestUsername is 128 characters of at most 4 bytes.
const longestUsername = 512

// bounded is what is kept of a username as it was typed. What is longer is nobody's. The copy
// lets go of the form that it stood in.
func bounded(username string) string {
	if len(username) > longestUsername {
		return ""
	}
	return strings.Clone(username)
}

// instant is now, as the log holds times.
func (j *Journal) instant() time.Time { return j.Now().UTC().Truncate(time.Microsecond) }
