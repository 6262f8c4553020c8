package signin

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"frontdesk/domain/fault"
	"frontdesk/projections"
)

// Door lets staff in and keeps everybody else out.
type Door struct {
	Tries     Tries
	Passwords Checker
	Sessions  Sessions
}

// Checker knows whose username and password these are. It takes just as long if
// they are nobody's.
type Checker interface {
	Check(ctx context.Context, tenant, username, password string) (holder Holder, right bool, err error)
}

// Database keeps the tables of this package. Its errors are faults where a
// caller can understand them.
type Database interface {
	projections.Querier
	changer
}

// changer is how the tables are changed.
type changer interface {
	Exec(ctx context.Context, sql string, args ...any) (pgconn.CommandTag, error)
	// ExecBatch sends all statements of a batch in one transaction.
	ExecBatch(ctx context.Context, batch *pgx.Batch) error
	// InTx does something in a transaction, which is rolled back if it fails.
	InTx(ctx context.Context, options pgx.TxOptions, do func(pgx.Tx) error) error
}

// Try is what somebody types to sign in, and where they type it.
type Try struct {
	Account
	Password string
	Source   string // an address or a network, as fair.Source returns it
}

// ErrRefused is the one refusal to sign somebody in, whatever the reason. If it
// names an instant, no password is looked at before then.
var ErrRefused = fault.New(fault.Forbidden, "sign-in-refused", "The username or password is not right.")

// SignIn begins a session and returns its token and its holder, or
// [ErrRefused].
func (d Door) SignIn(ctx context.Context, t Try) (token string, h Holder, err error) {
	until, taken, err := d.Tries.Reserve(ctx, t.Account, t.Source)
	if err != nil {
		return "", h, err
	}
	if !taken {
		return "", h, ErrRefused.Until(until)
	}
	if err := d.Tries.Sweep(ctx); err != nil {
		return "", h, err
	}
	h, right, err := d.Passwords.Check(ctx, t.Tenant, t.Username, t.Password)
	if err != nil {
		return "", h, err
	}
	if !right {
		return "", h, refused(until, d.Tries.Now())
	}
	if err := d.Tries.Forget(ctx, t.Account, t.Source); err != nil {
		return "", h, err
	}
	token, err = d.Sessions.Begin(ctx, t.Tenant, h)
	return token, h, err
}

// refused names the wait that this try has caused, if it has caused one.
func refused(until, now time.Time) error {
	if until.After(now) {
		return ErrRefused.Until(until)
	}
	return ErrRefused
}
