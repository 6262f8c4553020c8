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
	"frontdesk/domain/patient"
	"frontdesk/domain/practice"
	"frontdesk/domain/staff"
)

// ErrUnavailable says that the database cannot be reached, or is in a state that
// passes. What was asked of it may have been done all the same: the answer may have
// been lost on its way. The caller may try again, with the same Idempotency-Key.
var ErrUnavailable = fault.New(fault.Unavailable, "unavailable", "The service cannot reach its database. Try again shortly.")

// taken maps each constraint to the refusal that its violation stands for. What
// only one writer may have is a unique column in a table that a projection keeps
// at once. What must be left is counted by a guard.
var taken = map[string]*fault.Error{
	"practices_pkey":            practice.ErrTenantTaken,
	"staff_username":            staff.ErrUsernameTaken,
	"staff_passkeys_credential": staff.ErrPasskeyTaken,
	"staff_last_manager":        staff.ErrLastManager,
	"patients_known":            patient.ErrUnknown,
	"answers_key":               commands.ErrKeyTaken,
	"attachments_upload":        ErrSwept,
}

// faultOf returns err as a caller of the database should understand it. An error
// that is a fault already stays as it is, and so does that of a caller who has gone.
func faultOf(err error) error {
	if err == nil || errors.Is(err, context.Canceled) {
		return err
	}
	if _, judged := errors.AsType[*fault.Error](err); judged {
		return err
	}
	refused, answered := errors.AsType[*pgconn.PgError](err)
	switch {
	case unconnected(err), !answered && cut(err), answered && passes(refused.Code):
		return fmt.Errorf("%w (%w)", ErrUnavailable, err)
	case answered:
		return meaningOf(refused, err)
	}
	return err
}

// meaningOf returns what a refusal of Postgres means; err is the whole error that
// contains it.
func meaningOf(refused *pgconn.PgError, err error) error {
	switch {
	case refused.ConstraintName == "events_stream_version",
		refused.ConstraintName == "personal_keys_holder", // somebody else has made the key
		isNull(refused, "version"),
		refused.Code == "40P01", refused.Code == "40001": // deadlock, serialisation
		return fmt.Errorf("%w (%w)", event.ErrConflict, err)
	case isNull(refused, "name"):
		return patient.ErrUnknown // whoever it is about was erased
	case taken[refused.ConstraintName] != nil:
		return taken[refused.ConstraintName]
	}
	return err
}

// isNull reports whether a column of events was refused because it is NULL.
func isNull(refused *pgconn.PgError, column string) bool {
	return refused.Code == "23502" && refused.TableName == "events" && refused.ColumnName == column
}

// passes reports whether a code of Postgres names a state that passes without anybody
// changing the statement, the program or the schema (D48).
func passes(code string) bool {
	switch code {
	case "25006", // read-only: a standby, or a primary that has been told to be
		"25P03", "25P04", // a transaction that was idle or open for too long, and is ended with its connection
		"40003", // nobody knows whether the statement was completed
		"55P03", // a lock that was not free in time
		"57014", // cancelled by a time limit or by an operator
		"58030": // the disk fails
		return true
	}
	// The connection fails; disk, memory or connections run out; the server shuts down,
	// starts, or cuts the session off.
	return strings.HasPrefix(code, "08") || strings.HasPrefix(code, "53") || strings.HasPrefix(code, "57P")
}

// Away reports whether a database is away and may come by itself. A program that is being
// started waits for no other role, password or database than it was given.
func Away(err error) bool {
	refused, answered := errors.AsType[*pgconn.PgError](err)
	mistaken := answered && (strings.HasPrefix(refused.Code, "28") || refused.Code == "3D000")
	return errors.Is(err, ErrUnavailable) && !mistaken
}

// unconnected reports whether no connection could be made, whatever the reason: a
// wrong password, too, passes once the operator has finished changing it.
func unconnected(err error) bool {
	_, failed := errors.AsType[*pgconn.ConnectError](err)
	return failed
}

// cut reports whether a connection has ended, or answers too late.
func cut(err error) bool {
	_, network := errors.AsType[net.Error](err) // a deadline that ran out is one
	return network || errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) ||
		errors.Is(err, net.ErrClosed) || errors.Is(err, pgconn.ErrConnClosed)
}

// undone reports whether Postgres has refused a change and goes on: then nothing of it
// is stored. A pooler that has lost its connection may say ERROR, too, in class 08.
func undone(err error) bool {
	refused, answered := errors.AsType[*pgconn.PgError](err)
	if answered {
		unknown := strings.HasPrefix(refused.Code, "08") || refused.Code == "40003" // nobody knows whether it was completed
		return refused.SeverityUnlocalized == "ERROR" && !unknown
	}
	judged, is := errors.AsType[*fault.Error](err)
	return is && judged != ErrUnavailable
}
