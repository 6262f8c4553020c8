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

// ErrUnavailable says that the database cannot be reached or has no room for
// another connection: the call may be repeated (D19).
var ErrUnavailable = fault.New(fault.Unavailable, "unavailable", "The service cannot reach its database. Try again shortly.")

// taken says which refusal a violated constraint stands for. What two writers
// may not both have is unique in a table of the projections kept at once.
var taken = map[string]*fault.Error{
	"practices_pkey":     practice.ErrTenantTaken,
	"staff_username":     staff.ErrUsernameTaken,
	"answers_key":        commands.ErrKeyTaken,
	"attachments_upload": errSwept,
}

// Fault is err as a caller should understand it: [event.ErrConflict], a
// refusal, [ErrUnavailable], or err itself. What is a refusal already stays
// the one that it is.
func Fault(err error) error {
	if _, judged := errors.AsType[*fault.Error](err); judged || err == nil {
		return err
	}
	if pgErr, ok := errors.AsType[*pgconn.PgError](err); ok {
		return faultOf(pgErr)
	}
	if unreachable(err) {
		return fmt.Errorf("%w (%w)", ErrUnavailable, err)
	}
	return err
}

func faultOf(err *pgconn.PgError) error {
	switch {
	case err.ConstraintName == "events_stream_version",
		err.Code == "23502" && err.TableName == "events" && err.ColumnName == "version",
		err.Code == "40P01", err.Code == "40001": // deadlock, serialisation
		return fmt.Errorf("%w (%w)", event.ErrConflict, err)
	case taken[err.ConstraintName] != nil:
		return taken[err.ConstraintName]
	case strings.HasPrefix(err.Code, "57P"), strings.HasPrefix(err.Code, "08"), err.Code == "53300":
		return fmt.Errorf("%w (%w)", ErrUnavailable, err)
	}
	return err
}

func unreachable(err error) bool {
	if errors.Is(err, context.Canceled) {
		return false
	}
	_, connect := errors.AsType[*pgconn.ConnectError](err)
	_, network := errors.AsType[net.Error](err) // a deadline that ran out is one
	return connect || network || errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) ||
		errors.Is(err, net.ErrClosed) || strings.Contains(err.Error(), "conn closed")
}
