package postgres

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"

	"frontdesk/commands"
	"frontdesk/domain/event"
	"frontdesk/domain/fault"
	"frontdesk/domain/practice"
	"frontdesk/domain/staff"
)

// ErrUnavailable says that the database cannot be reached or takes no further
// connection: the call may be repeated (D19).
var ErrUnavailable = fault.New(fault.Unavailable, "unavailable", "The service cannot reach its database. Try again shortly.")

// taken says which refusal a violated constraint stands for. What two writers
// may not both have is unique in a table of the projections kept at once.
var taken = map[string]*fault.Error{
	"practices_pkey":     practice.ErrTenantTaken,
	"staff_username":     staff.ErrUsernameTaken,
	"answers_key":        commands.ErrKeyTaken,
	"attachments_upload": errSwept,
}

// faultOf is err as a caller of the database should understand it. A refusal
// stays the one that it is.
func faultOf(err error) error {
	if err == nil {
		return nil
	}
	if _, judged := errors.AsType[*fault.Error](err); judged {
		return err
	}
	if refused, ok := errors.AsType[*pgconn.PgError](err); ok {
		return judge(refused, err)
	}
	if unreachable(err) {
		return fmt.Errorf("%w (%w)", ErrUnavailable, err)
	}
	return err
}

// judge says what Postgres means by refusing; err is where it said so.
func judge(refused *pgconn.PgError, err error) error {
	switch {
	case refused.ConstraintName == "events_stream_version",
		refused.Code == "23502" && refused.TableName == "events" && refused.ColumnName == "version",
		refused.Code == "40P01", refused.Code == "40001": // deadlock, serialisation
		return fmt.Errorf("%w (%w)", event.ErrConflict, err)
	case taken[refused.ConstraintName] != nil:
		return taken[refused.ConstraintName]
	case strings.HasPrefix(refused.Code, "57P"), strings.HasPrefix(refused.Code, "08"), refused.Code == "53300":
		return fmt.Errorf("%w (%w)", ErrUnavailable, err)
	}
	return err
}

// unreachable tells a database that is away, or answers too late, from a caller
// who has gone.
func unreachable(err error) bool {
	if errors.Is(err, context.Canceled) {
		return false
	}
	_, connect := errors.AsType[*pgconn.ConnectError](err)
	_, network := errors.AsType[net.Error](err) // a deadline that ran out is one
	return connect || network || errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) ||
		errors.Is(err, net.ErrClosed) || strings.Contains(err.Error(), "conn closed")
}
