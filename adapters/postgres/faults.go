package postgres

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
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

// ErrAltered reports that the database has stored other events than were sent, or fewer:
// something has changed the schema. Nothing of the transaction is stored.
var ErrAltered = errors.New("the database stores other events than it was sent: look for triggers and rules on events, and compare the schema with frontdesk serve --check")

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
	case refused.Code == "22012": // division by zero, as the statements that store events do when the rows differ
		return fmt.Errorf("%w (%w)", ErrAltered, err)
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

// ErrUnavailable means that the database cannot be reached, or is in a transient state. A
// change may have been made all the same: its answer may have been lost. The caller may
// retry with the same Idempotency-Key. The error's text names the state, for the operator
// and not for callers of the API.
var ErrUnavailable = fault.New(fault.Unavailable, "unavailable", "The service cannot reach its database. Try again shortly.")

// unavailable is [ErrUnavailable] with the state of the database, for the operator.
type unavailable struct {
	state string
	cause error
}

func (u unavailable) Error() string { return fmt.Sprintf("%s (%v)", u.state, u.cause) }

// Unwrap returns the error for callers, and the cause.
func (u unavailable) Unwrap() []error { return []error{ErrUnavailable, u.cause} }

// The states that have no code, or several.
const (
	stateReadOnly = "the database is read-only: it is a standby, or default_transaction_read_only is on; " +
		"connect to the primary (target_session_attrs=read-write), or turn that setting off"
	stateUnreachable = "the database cannot be reached: check --database-url, and that Postgres runs"
	stateUnanswered  = "the database did not answer in time; a change may have been made all the same"
	stateLost        = "the connection to the database was lost; a change may have been made all the same"
)

// states are transient: they pass without a change of the statement, the program or the
// schema (D48). The key is the code of Postgres or the beginning of it.
var states = map[string]string{
	"08":    stateLost,
	"25006": stateReadOnly,
	"25P03": "a transaction was idle for too long, and the database has ended it; try again",
	"25P04": "a transaction was open for too long, and the database has ended it; try again",
	"40003": stateLost,
	"53":    "the database is out of a resource; look at its log",
	"53100": "the database's disk is full; make room",
	"53200": "the database is out of memory; try again, or give it more",
	"53300": "the database is out of connections; close some, or raise the limit",
	"55P03": "a lock was not free in time; try again, or end the transaction that holds it",
	"57014": "the statement was cancelled, by a time limit or by an operator; try again",
	"57P":   "the database has ended the session; try again",
	"57P01": "the database is shutting down, or an operator has ended the session; a change may have been made all the same",
	"57P02": "the database has crashed and recovers; a change may have been made all the same",
	"57P03": "the database is starting or shutting down; try again",
	"58030": "the database cannot read or write its disk; look at its log",
}

// refusals are reasons for which no connection was made, by the same codes. They also pass: a
// wrong password, once the operator has finished changing it.
var refusals = map[string]string{
	"28":    "the database refuses the role or its password; check --database-url",
	"3D000": "the database of that name does not exist; check --database-url",
	"42501": "the role may not connect to the database; check --database-url, or GRANT CONNECT",
}

// Named returns an error of pgx as [ErrUnavailable] if it names a transient state. A [DB]
// does so with its own errors.
func Named(err error) error {
	if state := stateOf(err); state != "" && !errors.Is(err, ErrUnavailable) {
		return unavailable{state, err}
	}
	return err
}

// sentenceOf returns the sentence for a code, and "" if there is none.
func sentenceOf(code string, sentences map[string]string) string {
	for _, length := range []int{5, 3, 2} { // of a code, and of the beginnings that are classes here
		if text := sentences[code[:min(length, len(code))]]; text != "" {
			return text
		}
	}
	return ""
}

// stateOf returns the sentence for the state that an error names, and "" if that is not
// transient.
func stateOf(err error) string {
	refused, answered := errors.AsType[*pgconn.PgError](err)
	_, unconnected := errors.AsType[*pgconn.ConnectError](err)
	_, network := errors.AsType[net.Error](err) // a deadline that ran out is one
	switch {
	case errors.Is(err, context.Canceled):
		return ""
	case errors.Is(err, pgconn.ErrReadOnlyConnection), errors.Is(err, pgconn.ErrStandbyConnection):
		return stateReadOnly
	case answered && unconnected:
		return cmp.Or(sentenceOf(refused.Code, states), sentenceOf(refused.Code, refusals), stateUnreachable)
	case unconnected:
		return stateUnreachable
	case answered:
		return sentenceOf(refused.Code, states)
	case errors.Is(err, context.DeadlineExceeded):
		return stateUnanswered
	case network, errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, net.ErrClosed), errors.Is(err, pgconn.ErrConnClosed):
		return stateLost
	}
	return ""
}

// Away reports whether a database is away and may return without help. A starting program
// does not wait for another role, password or database than it was given.
func Away(err error) bool {
	refused, answered := errors.AsType[*pgconn.PgError](err)
	mistaken := answered && (strings.HasPrefix(refused.Code, "28") || refused.Code == "3D000")
	return errors.Is(err, ErrUnavailable) && !mistaken
}
