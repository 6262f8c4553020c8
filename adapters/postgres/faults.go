package postgres

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"

	"frontdesk/commands"
	"frontdesk/domain/erasure"
	"frontdesk/domain/event"
	"frontdesk/domain/fault"
	"frontdesk/domain/patient"
	"frontdesk/domain/practice"
	"frontdesk/domain/staff"
)

// taken maps each constraint to the refusal that its violation means. A value that must be
// unique is a unique column in a table of an inline projection. Values of which one must
// remain are counted by a guard.
var taken = map[string]*fault.Error{
	"practices_pkey":            practice.ErrTenantTaken,
	"staff_username":            staff.ErrUsernameTaken,
	"staff_passkeys_credential": staff.ErrPasskeyTaken,
	"staff_last_manager":        staff.ErrLastManager,
	"patients_known":            patient.ErrUnknown,
	"answers_key":               commands.ErrKeyTaken,
	"attachments_upload":        ErrSwept,
	"erasure_requested":         erasure.ErrNotRequested,
	"erasure_waits":             erasure.ErrTooSoon,
	"erasure_two_people":        erasure.ErrSamePerson,
	"erasure_held":              erasure.ErrHeld,
}

// ErrSwept refuses an append that names a file which the sweeper has deleted, because the
// call took more than a day.
var ErrSwept = fault.New(fault.Unavailable, "unavailable", "What was sent has been waiting for too long. Send it again.")

// FaultOf returns the fault that an error of the database means. An error that is a fault
// already stays as it is, and so does that of a cancelled call.
func FaultOf(err error) error {
	if err == nil || errors.Is(err, context.Canceled) {
		return err
	}
	if _, judged := errors.AsType[*fault.Error](err); judged {
		return err
	}
	if state := stateOf(err); state != "" {
		return unavailable{state, err}
	}
	if refused, answered := errors.AsType[*pgconn.PgError](err); answered {
		return meaningOf(refused, err)
	}
	return err
}

// meaningOf returns what a refusal of Postgres means; err is the whole error that
// contains it.
func meaningOf(refused *pgconn.PgError, err error) error {
	switch {
	case refused.ConstraintName == "events_stream_version",
		refused.ConstraintName == "personal_keys_holder", // another writer has made the key
		refused.ConstraintName == "erasure_keys",         // a key has moved since
		isNull(refused, "version"),
		refused.Code == "40P01", refused.Code == "40001": // deadlock, serialisation
		return fmt.Errorf("%w (%w)", event.ErrConflict, err)
	case isNull(refused, "name"):
		return patient.ErrUnknown // a subject of the event was erased
	case taken[refused.ConstraintName] != nil:
		return taken[refused.ConstraintName]
	}
	return err
}

// isNull reports whether a column of events was refused because it is NULL.
func isNull(refused *pgconn.PgError, column string) bool {
	return refused.Code == "23502" && refused.TableName == "events" && refused.ColumnName == column
}

// Undone reports whether Postgres has refused a change and goes on: then nothing of it
// is stored. A pooler that has lost its connection may also answer ERROR, in class 08.
func Undone(err error) bool {
	refused, answered := errors.AsType[*pgconn.PgError](err)
	if answered {
		unknown := strings.HasPrefix(refused.Code, "08") || refused.Code == "40003" // it may have been completed
		return refused.SeverityUnlocalized == "ERROR" && !unknown
	}
	judged, ok := errors.AsType[*fault.Error](err)
	return ok && judged != ErrUnavailable
}
