package signin

import (
	"cmp"
	"context"
	"errors"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"frontdesk/domain/fault"
	"frontdesk/domain/staff"
	"frontdesk/projections"
)

// Door is the sign-in of staff.
type Door struct {
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
	Source   string    // an address or a network, as fair.Source returns it
	Device   string    // the browser's token of an earlier sign-in; "" for none
	Browser  string    // a description of the browser for the member of staff
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
var ErrRefused = fault.New(fault.Forbidden, "sign-in-refused", "The username or password is not right.")

// ErrBusy means that too many sign-ins are waiting. No password was checked.
var ErrBusy = fault.New(fault.Unavailable, "sign-in-busy", "Too many are signing in at the moment. Try again shortly.")

// SignIn begins a session, or the step that asks for a passkey, or returns [ErrRefused]
// or [ErrBusy].
func (d Door) SignIn(ctx context.Context, t Try) (in SignedIn, err error) {
	h, err := d.Prove(ctx, t)
	if err != nil {
		return in, err
	}
	return d.admit(ctx, t, h)
}

// Prove finds the owner of the password and begins nothing, or returns [ErrRefused] or
// [ErrBusy]. A known device has its own count of attempts; others spend their source's
// budget of guesses.
func (d Door) Prove(ctx context.Context, t Try) (h Holder, err error) {
	known, err := d.Devices.Known(ctx, t)
	if err != nil {
		return h, err
	}
	if known {
		h, err = d.look(ctx, t, d.Queue.ofKnown(t), d.Devices.Reserve)
		if !errors.Is(err, errStranger) {
			return h, err
		}
	}
	err = d.Guesses.Try(t.Source, t.Tenant, ErrRefused, func() (err error) {
		h, err = d.stranger(ctx, t)
		return err
	})
	return h, err
}

// stranger finds the owner of a password from an unknown browser. An account or source
// that must wait takes no turn in the queue.
func (d Door) stranger(ctx context.Context, t Try) (h Holder, err error) {
	place := d.Queue.ofStranger(t)
	if !place.seat.Take() {
		return h, ErrBusy
	}
	defer place.seat.Release()
	until, err := d.Tries.LockedUntil(ctx, t)
	if err != nil {
		return h, err
	}
	if until.After(d.Tries.Now()) {
		return h, ErrRefused.Until(until)
	}
	h, err = d.look(ctx, t, place, d.Tries.Reserve)
	if err != nil {
		return h, err
	}
	return h, d.Tries.Forget(ctx, t.Account, t.Source)
}

// reservation counts an attempt before the password is checked. until is when the next
// one may follow.
type reservation func(ctx context.Context, t Try) (until time.Time, taken bool, err error)

// look waits for its turn, counts the attempt, and returns the owner of the password.
func (d Door) look(ctx context.Context, t Try, at place, reserve reservation) (h Holder, err error) {
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
	h, right, err := d.Passwords.Check(ctx, t.Tenant, t.Username, t.Password)
	if err == nil && !right {
		err = d.wrong(ctx, t, until)
	}
	return h, err
}

// admit begins a session after the right password if the member has no passkey.
// Otherwise it begins the step that asks for it (D66).
func (d Door) admit(ctx context.Context, t Try, h Holder) (in SignedIn, err error) {
	passkeys, err := d.Passkeys.Of(ctx, t.Tenant, h.Staff)
	if err != nil {
		return in, err
	}
	if len(passkeys) == 0 {
		return d.Admit(ctx, t, h)
	}
	in.Holder = h
	in.Step, err = d.Steps.Begin(ctx, t.Tenant, h)
	return in, err
}

// Admit begins a session for a member who has proved their identity, or has just chosen
// a password by a link.
func (d Door) Admit(ctx context.Context, t Try, h Holder) (in SignedIn, err error) {
	in.Holder = h
	if in.Device, err = d.Devices.Renew(ctx, t, h); err != nil {
		return in, err
	}
	entered := t.attempt()
	entered.Staff = h.Staff
	if in.Session, entered.Session, err = d.Sessions.Begin(ctx, t.Tenant, h, t.Browser); err == nil {
		d.Journal.SignedIn(ctx, entered)
	}
	return in, err
}

// SignOut ends a session at its member's request.
func (d Door) SignOut(ctx context.Context, tenant string, s Session) error {
	if err := d.Sessions.End(ctx, tenant, s.Token); err != nil {
		return err
	}
	d.Journal.SignedOut(ctx, Attempt{Tenant: tenant, Staff: s.Staff, Session: s.ID})
	return nil
}

// wrong records a failed check. The refusal has the wait that this attempt caused, if
// any.
func (d Door) wrong(ctx context.Context, t Try, until time.Time) error {
	d.Journal.Failed(ctx, t.attempt())
	if !until.After(d.Tries.Now()) {
		return ErrRefused
	}
	d.Journal.LockedOut(ctx, t.attempt(), until)
	return ErrRefused.Until(until)
}

// attempt is a try for the journal.
func (t Try) attempt() Attempt {
	return Attempt{Tenant: t.Tenant, Username: t.Username, How: cmp.Or(t.How, staff.ByPassword), Source: t.Source}
}
