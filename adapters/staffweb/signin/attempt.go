package signin

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"frontdesk/adapters/admission"
	"frontdesk/domain/fault"
	"frontdesk/domain/staff"
	"frontdesk/projections"
)

// Service signs staff in and out.
type Service struct {
	Guesses   Guesses
	Queue     *Queue
	Tries     Tries
	Devices   Devices
	Passwords Checker
	Passkeys  Passkeys
	Steps     Steps
	Sessions  Sessions
	Screens   Screens
	Journal   *Journal // nil: not recorded
}

// Checker finds the owner of a username and password. It takes equally long for unknown
// ones.
type Checker interface {
	Check(ctx context.Context, tenant, username, password string) (holder Holder, right bool, err error)
}

// Database stores the tables of this package. Its errors are faults where a caller can
// understand them.
type Database interface {
	projections.Querier
	changer
}

// changing runs one statement, in a transaction or outside.
type changing interface {
	Exec(ctx context.Context, sql string, args ...any) (pgconn.CommandTag, error)
}

// changer changes the tables.
type changer interface {
	changing
	// ExecBatch sends all statements of a batch in one transaction.
	ExecBatch(ctx context.Context, batch *pgx.Batch) error
	// InTx runs do in a transaction, and rolls it back if do fails.
	InTx(ctx context.Context, options pgx.TxOptions, do func(pgx.Tx) error) error
}

// Try is one attempt to sign in: the typed values, and their source.
type Try struct {
	Account
	Password string
	How      staff.How // the kind of credential; "" for a password
	Source   string    // an address or a network, as httpx.ClientAddress returns it
	Device   string    // the browser's token of an earlier sign-in; "" for none
	Browser  string    // a description of the browser for the member of staff
}

// attempt is a try for the journal.
func (t Try) attempt() Attempt {
	return Attempt{Tenant: t.Tenant, Username: t.Username, How: cmp.Or(t.How, staff.ByPassword), Source: t.Source}
}

// storable returns a username that the database accepts; others belong to no account.
func storable(username string) string {
	if !utf8.ValidString(username) || strings.Contains(username, "\x00") {
		return ""
	}
	return username
}

// SignedIn is the result of a sign-in.
type SignedIn struct {
	Holder
	Session string // the token of the new session; "" if a passkey is still required
	Device  string // the browser's new token, replacing the old one
	Step    string // the token of the step that asks for a passkey; "" for none
}

// ErrRefused is the one refusal of a sign-in, whatever the reason. If it has a time, no
// password is checked before then.
var ErrRefused = fault.New(fault.Forbidden, "sign-in-refused", "Incorrect username or password.")

// ErrBusy means that too many sign-ins are waiting. No password was checked.
var ErrBusy = fault.New(fault.Unavailable, "sign-in-busy", "The sign-in service is busy. Try again in a moment.")

// SignIn begins a session, or the step that asks for a passkey, or returns [ErrRefused]
// or [ErrBusy].
func (svc Service) SignIn(ctx context.Context, t Try) (in SignedIn, err error) {
	h, err := svc.VerifyPassword(ctx, t)
	if err != nil {
		return in, err
	}
	return svc.beginSessionOrStep(ctx, t, h)
}

// VerifyPassword finds the owner of the password and begins nothing, or returns
// [ErrRefused] or [ErrBusy]. A known device has its own count of attempts; others spend
// their source's budget of guesses.
func (svc Service) VerifyPassword(ctx context.Context, t Try) (h Holder, err error) {
	known, err := svc.Devices.Known(ctx, t)
	if err != nil {
		return h, err
	}
	if known {
		h, err = svc.verify(ctx, t, svc.Queue.knownPlace(t), svc.Devices.Reserve)
		if !errors.Is(err, errStranger) {
			return h, err
		}
	}
	err = svc.Guesses.Try(t.Source, t.Tenant, ErrRefused, func() (err error) {
		h, err = svc.verifyStranger(ctx, t)
		return err
	})
	return h, err
}

// The budget of wrong guesses of one source, which is refilled in each period. A surgery
// whose staff share an address has thirty people who each mistype twice.
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
	everywhere *admission.RateLimiter[string]
	practice   *admission.RateLimiter[sourceAt]
}

// sourceAt is a source at a practice, which may not exist.
type sourceAt struct{ source, tenant string }

// NewGuesses gives every source its whole budget.
func NewGuesses(now func() time.Time) Guesses {
	return Guesses{
		now:        now,
		everywhere: admission.NewRateLimiter[string](sourceGuesses, guessesPeriod, now),
		practice:   admission.NewRateLimiter[sourceAt](practiceGuesses, guessesPeriod, now),
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
		g.everywhere.Refund(source, 1)
	}
	return wait
}

// giveBack refunds an attempt that was not a wrong guess.
func (g Guesses) giveBack(source, tenant string) {
	g.everywhere.Refund(source, 1)
	g.practice.Refund(sourceAt{source, tenant}, 1)
}

// verifyStranger finds the owner of a password from an unknown browser. An account or
// source that must wait takes no turn in the queue.
func (svc Service) verifyStranger(ctx context.Context, t Try) (h Holder, err error) {
	place := svc.Queue.strangerPlace(t)
	if !place.permit.Take() {
		return h, ErrBusy
	}
	defer place.permit.Release()
	err = svc.Tries.Limit(ctx, t, func() (err error) {
		h, err = svc.verify(ctx, t, place, svc.Tries.Reserve)
		return err
	})
	return h, err
}

// Queue orders the checking and hashing of passwords (D45). Known browsers and members
// who choose a password take turns by account. They have priority over strangers, who
// get every eighth turn or so, and every turn when no one else waits. Strangers take
// turns by source. So neither many attempts of one source nor many sources delay staff
// who use their own browser.
type Queue struct {
	passwords *admission.FairQueue
	strangers *admission.FairQueue

	strangerPlaces, knownPlaces *admission.FairSemaphore // room to wait

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
		passwords: admission.NewFairQueueWithLast(allStrangers, atOnce), strangers: admission.NewFairQueue(atOnce),
		strangerPlaces: admission.NewFairSemaphore(queuePlaces), knownPlaces: admission.NewFairSemaphore(queuePlaces),
		Limit: queueLimit,
	}
}

// Waiting returns the number of waiters.
func (q *Queue) Waiting() int { return q.passwords.Waiting() + q.strangers.Waiting() }

// RegisterMetrics registers the queue's metrics.
func (q *Queue) RegisterMetrics(in *admission.Metrics) {
	in.Semaphores(map[string]*admission.FairSemaphore{"sign-ins-known": q.knownPlaces, "sign-ins-strangers": q.strangerPlaces})
	in.Queues(map[string]*admission.FairQueue{"passwords": q.passwords, "strangers": q.strangers})
}

// place is where an attempt waits, and its turns.
type place struct {
	permit *admission.Permit
	turns  []turn // taken one after the other
	limit  time.Duration
}

type turn struct {
	*admission.FairQueue
	holder string
}

func (q *Queue) strangerPlace(t Try) place {
	return place{q.strangerPlaces.Permit(t.Source), []turn{{q.strangers, t.Source}, {q.passwords, allStrangers}}, q.Limit}
}

func (q *Queue) knownPlace(t Try) place {
	return q.accountPlace("staff " + t.Tenant + " " + t.Username)
}

// memberPlace is the place of a member who chooses a password.
func (q *Queue) memberPlace(tenant string, member staff.ID) place {
	return q.accountPlace("member " + tenant + " " + member.String())
}

func (q *Queue) accountPlace(account string) place {
	return place{q.knownPlaces.Permit(account), []turn{{q.passwords, account}}, q.Limit}
}

// wait returns when it is its turn, with a function to end the turn. The error is
// [ErrBusy].
func (p place) wait(ctx context.Context) (end func(), err error) {
	if !p.permit.Take() {
		return nil, ErrBusy
	}
	ctx, cancel := context.WithTimeout(ctx, p.limit)
	defer cancel()
	for i, t := range p.turns {
		if err := t.Take(ctx, t.holder); err != nil {
			place{p.permit, p.turns[:i], p.limit}.end()
			return nil, fmt.Errorf("%w (%w)", ErrBusy, err)
		}
	}
	return p.end, nil
}

func (p place) end() {
	for _, t := range p.turns {
		t.Release(t.holder)
	}
	p.permit.Release()
}

// reservation counts an attempt before the password is checked. until is when the next
// one may follow.
type reservation func(ctx context.Context, t Try) (until time.Time, taken bool, err error)

// verify waits for its turn, counts the attempt, and returns the owner of the password.
func (svc Service) verify(ctx context.Context, t Try, at place, reserve reservation) (h Holder, err error) {
	end, err := at.wait(ctx)
	if err != nil {
		return h, err
	}
	defer end()
	until, taken, err := reserve(ctx, t)
	if err != nil {
		return h, err
	}
	if !taken {
		return h, ErrRefused.Until(until)
	}
	h, right, err := svc.Passwords.Check(ctx, t.Tenant, t.Username, t.Password)
	if err == nil && !right {
		err = svc.recordFailure(ctx, t, until)
	}
	return h, err
}

// recordFailure records a failed check. The refusal has the wait that this attempt
// caused, if any.
func (svc Service) recordFailure(ctx context.Context, t Try, until time.Time) error {
	svc.Journal.Failed(ctx, t.attempt())
	if !until.After(svc.Tries.Now()) {
		return ErrRefused
	}
	svc.Journal.LockedOut(ctx, t.attempt(), until)
	return ErrRefused.Until(until)
}

// beginSessionOrStep begins a session after the right password if the member has no
// passkey. Otherwise it begins the step that asks for it (D66).
func (svc Service) beginSessionOrStep(ctx context.Context, t Try, h Holder) (in SignedIn, err error) {
	passkeys, err := svc.Passkeys.List(ctx, t.Tenant, h.Staff)
	if err != nil {
		return in, err
	}
	if len(passkeys) == 0 {
		return svc.BeginSession(ctx, t, h)
	}
	in.Holder = h
	in.Step, err = svc.Steps.Begin(ctx, t.Tenant, h)
	return in, err
}

// BeginSession begins a session for a member who has proved their identity, or has just
// chosen a password by a link.
func (svc Service) BeginSession(ctx context.Context, t Try, h Holder) (in SignedIn, err error) {
	in.Holder = h
	news, err := svc.untoldOf(ctx, t, h.Staff)
	if err != nil {
		return in, err
	}
	if in.Device, err = svc.Devices.Renew(ctx, t, h); err != nil {
		return in, err
	}
	entered := t.attempt()
	entered.Staff = h.Staff
	if in.Session, entered.Session, err = svc.Sessions.Begin(ctx, t.Tenant, h, t.Browser); err != nil {
		return in, err
	}
	svc.Journal.SignedIn(ctx, entered)
	return in, svc.keepUntold(ctx, t, in, news)
}
