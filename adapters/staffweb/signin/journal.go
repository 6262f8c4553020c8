package signin

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/prometheus/client_golang/prometheus"

	"frontdesk/adapters/admission"
	"frontdesk/adapters/background"
	"frontdesk/commands"
	"frontdesk/domain/event"
	"frontdesk/domain/fault"
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

	background.WriteBehind[entry] // its Limit also limits the accounts with attempts: some hundred bytes each

	metrics journalMetrics
	sources keys                           // of the marks in the log
	counts  keys                           // of Tries, whose old keys are deleted here
	budget  *admission.RateLimiter[string] // of events about attempts at a practice

	tried map[account]*pending // owned by Run
}

// The budget of one process for events about attempts at one practice, which is refilled
// in each period. The others wait and are counted.
const (
	practiceEvents       = 60
	practiceEventsPeriod = time.Minute
)

// NewJournal returns a journal with the usual limits. It registers the counters
// frontdesk_sign_in_events_total and frontdesk_sign_in_events_lost_total.
func NewJournal(store commands.Store, db Database, tries Tries, registry prometheus.Registerer, log *slog.Logger) *Journal {
	return &Journal{
		Store: store, DB: db, Tries: tries, Now: tries.Now,
		WriteBehind: background.WriteBehind[entry]{
			Limit: 1 << 14, Pace: 100 * time.Millisecond, Retry: time.Second, Final: lastLimit,
			Fails: "the journal of sign-ins waits for the database", Log: log,
		},
		metrics: newJournalMetrics(registry),
		sources: sourceKeys(db),
		counts:  triesKeys(db),
		budget:  admission.NewRateLimiter[string](practiceEvents, practiceEventsPeriod, tries.Now),
		tried:   map[account]*pending{},
	}
}

// Attempt is one attempt to sign in, or the resulting session.
type Attempt struct {
	Tenant   string
	Username string    // as typed; "" if Staff is set
	Staff    staff.ID  // zero if only the username is known
	How      staff.How // the kind of credential
	Source   string    // an address or a network, as httpx.ClientAddress returns it
	Session  uuid.UUID // zero unless one was begun
}

// SignedIn records the start of a session. It needs Staff and Session.
func (j *Journal) SignedIn(ctx context.Context, a Attempt) { j.enqueue(ctx, a, signedIn, time.Time{}) }

// SignedOut records that a member of staff has ended a session. It needs Staff and
// Session.
func (j *Journal) SignedOut(ctx context.Context, a Attempt) {
	j.enqueue(ctx, a, signedOut, time.Time{})
}

// Failed records a credential that was checked and wrong. The account may not exist.
func (j *Journal) Failed(ctx context.Context, a Attempt) { j.enqueue(ctx, a, failed, time.Time{}) }

// LockedOut records that no attempt is checked until an instant. The account may not
// exist.
func (j *Journal) LockedOut(ctx context.Context, a Attempt, until time.Time) {
	j.enqueue(ctx, a, lockedOut, until)
}

// kind is the kind of a happening.
type kind int

const (
	signedIn kind = iota
	signedOut
	failed
	lockedOut
)

// entry is an entry in the queue of Run.
type entry struct {
	Attempt
	kind    kind
	at      time.Time
	until   time.Time // of a lock
	request string
}

// enqueue queues a happening. It is dropped, and counted as lost, if the queue is full or
// Run has ended.
func (j *Journal) enqueue(ctx context.Context, a Attempt, k kind, until time.Time) {
	if j == nil {
		return
	}
	h := entry{a, k, j.instant(), until.UTC(), event.MetadataFrom(ctx).RequestID}
	h.Username = boundedUsername(h.Username)
	if !j.Put(h) {
		j.metrics.lost.Inc()
	}
}

// longestUsername is 128 characters of at most 4 bytes.
const longestUsername = 512

// boundedUsername returns the part of a typed username to store. A longer one belongs to no
// account. The copy does not keep the form in memory.
func boundedUsername(username string) string {
	if len(username) > longestUsername {
		return ""
	}
	return strings.Clone(username)
}

// instant is the current time at the log's precision.
func (j *Journal) instant() time.Time { return j.Now().UTC().Truncate(time.Microsecond) }

const (
	roundLimit = 10 * time.Second
	lastLimit  = 5 * time.Second // for the rest of the queue when ctx ends
	oneBatch   = 500
)

// Run appends to the log until ctx ends. Then it has 5 s for the rest of the queue.
// Stop all callers of the other methods before you end ctx.
func (j *Journal) Run(ctx context.Context) {
	err := j.WriteBehind.Run(ctx, j.round)
	if err != nil {
		left := len(j.First(j.Limit)) + len(j.tried)
		j.metrics.lost.Add(float64(left))
		j.Log.ErrorContext(ctx, "sign-in events were lost", slog.Int("happenings", left), slog.Any("error", err))
	}
}

// round processes the whole queue. last marks the round after which the process stops.
func (j *Journal) round(ctx context.Context, last bool) error {
	ctx, cancel := context.WithTimeout(ctx, roundLimit)
	defer cancel()
	for batch := j.First(oneBatch); len(batch) > 0; batch = j.First(oneBatch) {
		if err := j.processBatch(ctx, batch); err != nil {
			return err
		}
	}
	if err := errors.Join(j.sources.discard(ctx, j.instant()), j.counts.discard(ctx, j.Tries.Now())); err != nil {
		return err
	}
	return j.appendAttempts(ctx, last)
}

// processBatch appends sessions, and counts attempts at existing accounts.
func (j *Journal) processBatch(ctx context.Context, batch []entry) error {
	today, err := j.sources.markers(ctx, j.instant())
	if err != nil {
		return err
	}
	owners, err := j.owners(ctx, batch)
	if err != nil {
		return err
	}
	for _, h := range batch {
		if h.Staff == (staff.ID{}) {
			h.Staff = owners[Account{h.Tenant, h.Username}]
		}
		if err := j.process(ctx, h, markOf(h.Source, today)); err != nil {
			return err
		}
		j.Remove(1)
	}
	return nil
}

// markOf returns the mark of a source in the log, which is equal for equal sources of a
// day.
func markOf(source string, today []marker) staff.Source {
	return staff.Source(hex.EncodeToString(today[len(today)-1].mark(source)[:8]))
}

// process processes one happening. Unknown accounts get no event.
func (j *Journal) process(ctx context.Context, h entry, from staff.Source) error {
	switch {
	case h.Staff == (staff.ID{}):
		return nil
	case h.kind == failed || h.kind == lockedOut:
		return j.countAttempt(ctx, h, from)
	}
	ctx = event.WithMetadata(ctx, event.Metadata{Actor: event.Staff(h.Staff.UUID), RequestID: h.request})
	var events []event.Event
	err := commands.Update(ctx, j.Store, staff.SessionStream(h.Tenant, h.Session), func(s staff.Session) (_ []event.Event, err error) {
		if h.kind == signedOut {
			events, err = s.End(staff.SignedOut{Staff: h.Staff, Session: h.Session, At: h.at})
			return events, err
		}
		events, err = s.Begin(staff.SignedIn{Staff: h.Staff, Session: h.Session, How: h.How, Source: from, At: h.at})
		return events, err
	})
	return j.recordAppended(ctx, events, err)
}

// recordAppended counts the events of an append, which are lost if the database will never
// accept them. An error means that it may accept them later.
func (j *Journal) recordAppended(ctx context.Context, events []event.Event, err error) error {
	if err == nil {
		for _, e := range events {
			j.metrics.appended.WithLabelValues(e.EventName()).Inc()
		}
		return nil
	}
	if f, ok := errors.AsType[*fault.Error](err); ctx.Err() != nil || ok && f.Kind == fault.Unavailable {
		return err
	}
	j.metrics.lost.Add(float64(len(events)))
	j.Log.ErrorContext(ctx, "sign-in events cannot be appended", slog.Any("error", err))
	return nil
}

type journalMetrics struct {
	appended *prometheus.CounterVec
	lost     prometheus.Counter
}

func newJournalMetrics(registry prometheus.Registerer) journalMetrics {
	m := journalMetrics{
		prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "frontdesk_sign_in_events_total",
			Help: "Events of sign-ins at accounts that there are, by their names. One event may stand for many tries in vain.",
		}, []string{"event"}),
		prometheus.NewCounter(prometheus.CounterOpts{
			Name: "frontdesk_sign_in_events_lost_total",
			Help: "What happened at sign-in, and is missing in the log.",
		}),
	}
	registry.MustRegister(m.appended, m.lost)
	return m
}

// account is an existing account.
type account struct {
	tenant string
	staff  staff.ID
}

// pending is the attempts at an account that are not yet appended.
type pending struct {
	staff.Tried
	due     time.Time // not appended before
	request string    // the request of the first of them
}

const ownersOf = `
SELECT s.tenant, s.username, s.staff
FROM unnest($1::text[], $2::text[]) AS typed (tenant, username)
JOIN staff s ON s.tenant = typed.tenant AND s.username = typed.username AND s.active`

// owners finds the active members of staff by the typed usernames.
func (j *Journal) owners(ctx context.Context, batch []entry) (map[Account]staff.ID, error) {
	var tenants, usernames []string
	for _, h := range batch {
		if h.Staff == (staff.ID{}) && storable(h.Username) != "" {
			tenants, usernames = append(tenants, h.Tenant), append(usernames, h.Username)
		}
	}
	if len(tenants) == 0 {
		return nil, nil
	}
	rows, _ := j.DB.Query(ctx, ownersOf, tenants, usernames)
	found, owners := account{}, map[Account]staff.ID{}
	username := ""
	_, err := pgx.ForEachRow(rows, []any{&found.tenant, &username, &found.staff}, func() error {
		owners[Account{found.tenant, username}] = found.staff
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("find whose accounts were tried: %w", err)
	}
	return owners, nil
}

// countAttempt adds an attempt, or a lock, to the pending ones of an account. It is lost if
// too many accounts have pending ones.
func (j *Journal) countAttempt(ctx context.Context, h entry, from staff.Source) error {
	who := account{h.Tenant, h.Staff}
	p := j.tried[who]
	switch {
	case p == nil && len(j.tried) >= j.Limit:
		j.metrics.lost.Inc()
		return nil
	case p == nil:
		p = &pending{request: h.request}
	}
	if h.kind == failed {
		p.Fail(h.How, from, h.at)
		j.tried[who] = p
		return nil
	}
	locked, err := j.Tries.LockedUntil(ctx, Try{Account: Account{h.Tenant, h.Username}})
	if err != nil {
		return err
	}
	p.Locked = staff.LockedOut{Source: from, Everywhere: locked.After(j.instant()), At: h.at, Until: h.until}
	j.tried[who] = p
	return nil
}

// appendAttempts appends the attempts that are due. Each practice has a budget of events;
// the last round ignores it.
func (j *Journal) appendAttempts(ctx context.Context, last bool) error {
	for who, p := range j.tried {
		if !last && (j.instant().Before(p.due) || j.budget.Spend(who.tenant, 1) > 0) {
			continue
		}
		if err := j.appendTo(ctx, who, p, last); err != nil {
			return err
		}
		if p.None() {
			delete(j.tried, who)
		}
	}
	return nil
}

// appendTo appends the attempts at one account, unless another process has done so within
// the last minute. The last round ignores that.
func (j *Journal) appendTo(ctx context.Context, who account, p *pending, last bool) error {
	now := j.instant()
	p.due = now.Add(staff.TriesInterval / 4)
	ctx = event.WithMetadata(ctx, event.Metadata{Actor: event.Service("frontdesk"), RequestID: p.request})
	var events []event.Event
	err := commands.Update(ctx, j.Store, staff.TriesStream(who.tenant, who.staff, now), func(w staff.Watch) (_ []event.Event, err error) {
		if last {
			w = staff.Watch{}
		}
		events, err = w.Record(who.staff, p.Tried, now)
		return events, err
	})
	if err := j.recordAppended(ctx, events, err); err != nil {
		return err
	}
	if len(events) == 0 {
		j.budget.Refund(who.tenant, 1)
	}
	p.Clear(events)
	return nil
}
