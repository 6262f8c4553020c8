package postgres

import (
	"context"
	"encoding"
	"errors"
	"fmt"
	"io"
	"net"
	"reflect"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgtype"
	"github.com/jackc/pgx/v5/pgxpool"

	"frontdesk/commands"
	"frontdesk/domain/event"
	"frontdesk/domain/fault"
	"frontdesk/domain/practice"
	"frontdesk/domain/staff"
	"frontdesk/projections"
)

// DB is the one place where errors of the database become faults (D41):
// [ErrUnavailable], [event.ErrConflict], or the refusal of something that must be
// unique. Every other error is the one that pgx returns.
type DB struct{ conn Conn }

// Conn is a pool, or one connection of it.
type Conn interface {
	projections.Querier
	changer
}

// changer is how a Conn changes something.
type changer interface {
	Exec(ctx context.Context, sql string, args ...any) (pgconn.CommandTag, error)
	SendBatch(ctx context.Context, batch *pgx.Batch) pgx.BatchResults
	BeginTx(ctx context.Context, options pgx.TxOptions) (pgx.Tx, error)
}

// On returns a DB that asks through a pool or a connection.
func On(conn Conn) DB { return DB{conn} }

// Query asks for rows. Their Err is a fault, too.
func (d DB) Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error) {
	found, err := d.conn.Query(ctx, sql, args...)
	return rows{found}, faultOf(err)
}

// QueryRow asks for one row. Its Scan returns [pgx.ErrNoRows] if there is none.
func (d DB) QueryRow(ctx context.Context, sql string, args ...any) pgx.Row {
	return row{d.conn.QueryRow(ctx, sql, args...)}
}

// Exec runs a statement and returns how many rows it changed.
func (d DB) Exec(ctx context.Context, sql string, args ...any) (pgconn.CommandTag, error) {
	done, err := d.conn.Exec(ctx, sql, args...)
	return done, faultOf(err)
}

// ExecBatch sends all statements of a batch in one round trip and one implicit
// transaction.
func (d DB) ExecBatch(ctx context.Context, batch *pgx.Batch) error {
	return faultOf(d.conn.SendBatch(ctx, batch).Close())
}

// InTx runs do in a transaction, which is rolled back if do fails.
func (d DB) InTx(ctx context.Context, options pgx.TxOptions, do func(pgx.Tx) error) error {
	return faultOf(pgx.BeginTxFunc(ctx, d.conn, options, do))
}

type rows struct{ pgx.Rows }

// Err returns why the rows ended early, and nil if they did not.
func (r rows) Err() error { return faultOf(r.Rows.Err()) }

type row struct{ pgx.Row }

// Scan reads the row into variables.
func (r row) Scan(into ...any) error { return faultOf(r.Row.Scan(into...)) }

// ErrUnavailable says that the database cannot be reached or takes no further
// connection. The caller may try again.
var ErrUnavailable = fault.New(fault.Unavailable, "unavailable", "The service cannot reach its database. Try again shortly.")

// taken maps each constraint to the refusal that its violation stands for. What
// only one writer may have is a unique column in a table that a projection keeps
// at once.
var taken = map[string]*fault.Error{
	"practices_pkey":     practice.ErrTenantTaken,
	"staff_username":     staff.ErrUsernameTaken,
	"answers_key":        commands.ErrKeyTaken,
	"attachments_upload": errSwept,
}

// faultOf returns err as a caller of the database should understand it. An error
// that is a fault already stays as it is.
func faultOf(err error) error {
	if err == nil {
		return nil
	}
	if _, judged := errors.AsType[*fault.Error](err); judged {
		return err
	}
	if refused, ok := errors.AsType[*pgconn.PgError](err); ok {
		return meaningOf(refused, err)
	}
	if unreachable(err) {
		return fmt.Errorf("%w (%w)", ErrUnavailable, err)
	}
	return err
}

// meaningOf returns what an error of Postgres means; err is the whole error that
// contains it.
func meaningOf(refused *pgconn.PgError, err error) error {
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

// unreachable reports whether the database is away or answers too late. A caller
// who has gone away does not count.
func unreachable(err error) bool {
	if errors.Is(err, context.Canceled) {
		return false
	}
	_, connect := errors.AsType[*pgconn.ConnectError](err)
	_, network := errors.AsType[net.Error](err) // a deadline that ran out is one
	return connect || network || errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) ||
		errors.Is(err, net.ErrClosed) || strings.Contains(err.Error(), "conn closed")
}

const connectLimit = 10 * time.Second

// NewPool returns a pool of at most so many connections to url; 0 leaves the
// number to url or to pgx. It connects when somebody needs a connection.
func NewPool(ctx context.Context, url string, connections int32) (*pgxpool.Pool, error) {
	config, err := pgxpool.ParseConfig(url)
	if err != nil {
		return nil, fmt.Errorf("read the database URL: %w", err)
	}
	if connections > 0 {
		config.MaxConns = connections
	}
	config.ConnConfig.ConnectTimeout = connectLimit
	config.ConnConfig.RuntimeParams["application_name"] = "frontdesk"
	config.AfterConnect = func(_ context.Context, conn *pgx.Conn) error {
		registerIdentifiers(conn.TypeMap())
		return nil
	}
	pool, err := pgxpool.NewWithConfig(ctx, config)
	if err != nil {
		return nil, fmt.Errorf("open the database: %w", err)
	}
	return pool, nil
}

// Acquire takes one connection out of a pool, for a caller who needs it for longer
// than one statement. Its errors are faults, as those of [DB] are.
func Acquire(ctx context.Context, pool *pgxpool.Pool) (*pgxpool.Conn, error) {
	conn, err := pool.Acquire(ctx)
	return conn, faultOf(err)
}

// Identifiers travel to Postgres as 16 bytes. By itself pgx sends google/uuid's
// type, and our types that embed it, as text: it tries every other encoding first,
// then prints the identifier and lets Postgres parse it. In the benchmark of
// appends that took a fifth of the program's CPU time.

// identifier is a uuid.UUID or a type that embeds one: nothing else has both.
type identifier interface {
	encoding.BinaryMarshaler
	URN() string
}

// registerIdentifiers teaches a connection to encode identifiers.
func registerIdentifiers(types *pgtype.Map) {
	types.TryWrapEncodePlanFuncs = append([]pgtype.TryWrapEncodePlanFunc{wrapIdentifier}, types.TryWrapEncodePlanFuncs...)
}

func wrapIdentifier(value any) (plan pgtype.WrappedEncodePlanNextSetter, next any, ok bool) {
	id, ok := value.(identifier)
	if _, wrapped := value.(sixteen); wrapped || !ok {
		return nil, nil, false
	}
	return &encodeIdentifier{}, sixteen{id}, true
}

type encodeIdentifier struct{ next pgtype.EncodePlan }

// SetNext takes the plan that encodes a [sixteen].
func (e *encodeIdentifier) SetNext(next pgtype.EncodePlan) { e.next = next }

// Encode appends the 16 bytes of an identifier to buf.
func (e *encodeIdentifier) Encode(value any, buf []byte) ([]byte, error) {
	return e.next.Encode(sixteen{value.(identifier)}, buf)
}

// sixteen is an identifier in the form that pgx's own codec takes.
type sixteen struct{ identifier }

// UUIDValue returns the 16 bytes, or NULL for a nil pointer.
func (s sixteen) UUIDValue() (pgtype.UUID, error) {
	if v := reflect.ValueOf(s.identifier); v.Kind() == reflect.Pointer && v.IsNil() {
		return pgtype.UUID{}, nil
	}
	raw, err := s.MarshalBinary()
	return pgtype.UUID{Bytes: [16]byte(raw), Valid: true}, err
}
