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

// Journal appends sign-ins, sign-outs and failed attempts to the log (D65). It does so
// behind the answer: its methods never wait and never fail, and do the same whether the
// account exists or not. The goroutine in Run finds the account, and appends. A nil
// Journal records nothing.
type Journal struct {
	Store commands.Store
	DB    Database
	Tries Tries // to check whether an account is locked from everywhere
	Now   func() time.Time

	background.WriteBehind[happening] // its Limit also limits the accounts with attempts: some hundred bytes each

	metrics journalMetrics
	sources keys                 // of the marks in the log
	counts  keys                 // of Tries, also deleted here in case there are no attempts
	budget  *fair.Budget[string] // of events about attempts at a practice

	tried map[account]*pending // owned by Run
}

// The budget of one process for events about attempts at one practice: so many at once,
// and as many again in each period. The others wait and are counted.
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
		budget:  fair.NewBudget[string](practiceEvents, practiceEventsPeriod, tries.Now),
		tried:   map[account]*pending{},
	}
}

// Attempt is one attempt to sign in, or the resulting session.
type Attempt struct {
	Tenant   string
	Username string    // as typed; "" if Staff is set
	Staff    staff.ID  // zero if only the username is known
	How      staff.How // the kind of credential
	Source   string    // an address or a network, as fair.Source returns it
	Session  uuid.UUID // zero unless one was begun
}

// SignedIn records the start of a session. It needs Staff and Session.
func (j *Journal) SignedIn(ctx context.Context, a Attempt) { j.note(ctx, a, signedIn, time.Time{}) }

// SignedOut records that a member of staff has ended a session. It needs Staff and
// Session.
func (j *Journal) SignedOut(ctx context.Context, a Attempt) { j.note(ctx, a, signedOut, time.Time{}) }

// Failed records a credential that was checked and wrong. The account may not exist.
func (j *Journal) Failed(ctx context.Context, a Attempt) { j.note(ctx, a, failed, time.Time{}) }

// LockedOut records that no attempt is checked until an instant. The account may not
// exist.
func (j *Journal) LockedOut(ctx context.Context, a Attempt, until time.Time) {
	j.note(ctx, a, lockedOut, until)
}

// kind is the kind of a happening.
type kind int

const (
	signedIn kind = iota
	signedOut
	failed
	lockedOut
)

// happening is an entry in the queue of Run.
type happening struct {
	Attempt
	kind    kind
	at      time.Time
	until   time.Time // of a lock
	request string
}

// note queues a happening. It is dropped, and counted as lost, if the queue is full or
// Run has ended.
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

// bounded returns the part of a typed username to store. A longer one belongs to no
// account. The copy does not keep the form in memory.
func bounded(username string) string {
	if len(username) > longestUsername {
		return ""
	}
	return strings.Clone(username)
}

// instant is the current time at the log's precision.
func (j *Journal) instant() time.Time { return j.Now().UTC().Truncate(time.Microsecond) }
