// Package projectionstest gives tests of read models a database of practices.
package projectionstest

import (
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgxpool"

	"frontdesk/adapters/postgres"
	"frontdesk/adapters/postgres/eventstore"
	"frontdesk/adapters/postgres/keyring"
	"frontdesk/adapters/postgres/postgrestest"
	"frontdesk/adapters/sealing"
	"frontdesk/domain"
	"frontdesk/domain/application"
	"frontdesk/domain/event"
	"frontdesk/domain/patient"
	"frontdesk/domain/staff"
	"frontdesk/projections"
)

// The tenants of two practices.
const (
	Elm = "elm-street"
	Oak = "oak-lane"
)

// Noon is the time at which a day begins.
var Noon = time.Date(2026, 3, 2, 12, 0, 0, 345_000_000, time.UTC)

// People and applications of a day. None is registered.
var (
	Ann  = patient.ID{UUID: uuid.MustParse("0190c7a2-0000-7000-8000-0000000000a1")}
	Bill = patient.ID{UUID: uuid.MustParse("0190c7a2-0000-7000-8000-0000000000a2")}
	Lee  = staff.ID{UUID: uuid.MustParse("0190c7a2-0000-7000-8000-0000000000b1")}
	Kim  = staff.ID{UUID: uuid.MustParse("0190c7a2-0000-7000-8000-0000000000b2")}

	Referrals = application.ID{UUID: uuid.MustParse("0190c7a2-0000-7000-8000-000000000011")}
	Diary     = application.ID{UUID: uuid.MustParse("0190c7a2-0000-7000-8000-000000000012")}
)

// Day is a database with all projections of the append. Personal data is encrypted.
type Day struct {
	DB    *postgrestest.Database
	Pool  *pgxpool.Pool
	Codec *event.Codec
	Keys  *keyring.Keyring
	Store *eventstore.Store
	At    time.Time // the clock
}

// New returns a day with a database of its own.
func New(t testing.TB) *Day {
	t.Helper()
	return On(t, postgrestest.New(t))
}

// On returns a day with a database.
func On(t testing.TB, db *postgrestest.Database) *Day {
	t.Helper()
	codec, err := event.NewCodec(domain.Events()...)
	Must(t, err)
	d := &Day{DB: db, Pool: db.Pool(t), Codec: codec, At: Noon}
	d.FreshKeys(t)
	d.Store = &eventstore.Store{DB: postgres.On(d.Pool), Codec: codec, Keys: d.Keys, AtOnce: projections.AtOnce(), Now: func() time.Time { return d.At }}
	return d
}

// Happens appends events to the end of a stream.
func (d *Day) Happens(t testing.TB, stream event.Stream, events ...event.Event) {
	t.Helper()
	Must(t, d.Append(t, stream, events...))
}

// Append returns the error of an append to the end of a stream.
func (d *Day) Append(t testing.TB, stream event.Stream, events ...event.Event) error {
	t.Helper()
	history, err := d.Store.Load(t.Context(), stream)
	Must(t, err)
	_, err = d.StoreFor(t, events...).Append(t.Context(), event.Change{Stream: stream, Expected: len(history), Events: events})
	return err
}

// StoreFor returns the store, or the owner's for an erasure that no one requested, as after
// a restore. The keys that it names are gone.
func (d *Day) StoreFor(t testing.TB, events ...event.Event) *eventstore.Store {
	t.Helper()
	last := events[len(events)-1]
	if !strings.HasSuffix(last.EventName(), ".erased.v1") {
		return d.Store
	}
	_, data, err := d.Codec.Encode(last)
	Must(t, err)
	owner := d.DB.AdminPool(t)
	Exec(t, owner, `DELETE FROM personal_keys USING jsonb_to_recordset($1::jsonb -> 'keys') AS k (holder uuid) WHERE personal_keys.holder = k.holder`, string(data))
	return &eventstore.Store{DB: postgres.On(owner), Codec: d.Codec, Keys: d.Keys, AtOnce: d.Store.AtOnce, Now: d.Store.Now}
}

// Drain gives each event its place in the log.
func (d *Day) Drain(t testing.TB) {
	t.Helper()
	Must(t, eventstore.NewSequencer(d.Pool, nil, nil, slog.New(slog.DiscardHandler)).Drain(t.Context()))
}

// Names reads the names of patients.
func (d *Day) Names() projections.Names { return projections.Names{DB: d.Pool, Opens: d.Keys} }

// DestroyKey destroys the key of a patient, and nothing else. The keyring is then that of
// another process.
func (d *Day) DestroyKey(t testing.TB, id patient.ID) {
	t.Helper()
	owner := d.DB.AdminPool(t)
	Exec(t, owner, `INSERT INTO erasures (tenant, kind, holder, erased_at, erasure, stream, version, fingerprint) SELECT tenant, kind, holder, now(), gen_random_uuid(), holder, 2, '' FROM personal_keys WHERE kind = 1 AND holder = $1`, id)
	Exec(t, owner, `DELETE FROM personal_keys WHERE kind = 1 AND holder = $1`, id)
	d.FreshKeys(t)
}

// FreshKeys replaces the keyring by that of another process, which has cached no key yet.
func (d *Day) FreshKeys(t testing.TB) {
	t.Helper()
	d.Keys = &keyring.Keyring{DB: postgres.On(d.Pool), Codec: d.Codec, Masters: sealing.NewRing(sealing.MasterKey{1, 2, 3})}
	Must(t, d.Keys.Start(t.Context()))
}

// Exec executes a statement.
func Exec(t testing.TB, db *pgxpool.Pool, sql string, args ...any) {
	t.Helper()
	_, err := db.Exec(t.Context(), sql, args...)
	Must(t, err)
}

// Must fails the test if there is an error.
func Must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
