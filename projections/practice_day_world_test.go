package projections_test

import (
	"context"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgxpool"

	"frontdesk/adapters/postgres"
	"frontdesk/adapters/postgres/eventstore"
	"frontdesk/adapters/postgres/keyring"
	"frontdesk/adapters/postgres/postgrestest"
	"frontdesk/domain"
	"frontdesk/domain/appointment"
	"frontdesk/domain/event"
	"frontdesk/domain/patient"
	"frontdesk/domain/site"
	"frontdesk/domain/staff"
	"frontdesk/projections"
)

var noon = time.Date(2026, 3, 2, 12, 0, 0, 345_000_000, time.UTC)

// day is a practice's database, with all projections of the append. Personal data is
// encrypted.
type day struct {
	db    *postgrestest.Database
	pool  *pgxpool.Pool
	codec *event.Codec
	keys  *keyring.Keyring
	store *eventstore.Store
	at    time.Time // the clock
}

const elm, oak = "elm-street", "oak-lane"

func newDay(t testing.TB) *day {
	t.Helper()
	return dayOn(t, postgrestest.New(t))
}

func dayOn(t testing.TB, db *postgrestest.Database) *day {
	t.Helper()
	codec, err := event.NewCodec(domain.Events()...)
	if err != nil {
		t.Fatal(err)
	}
	pool := db.Pool(t)
	d := &day{db: db, pool: pool, codec: codec, at: noon}
	d.freshKeys(t)
	d.store = &eventstore.Store{DB: postgres.On(pool), Codec: codec, Keys: d.keys, AtOnce: projections.AtOnce(), Now: func() time.Time { return d.at }}
	return d
}

// happened appends events to streams of their own, one append each, a second
// apart.
func (d *day) happened(ctx context.Context, t *testing.T, tenant string, stream uuid.UUID, from int, events ...event.Event) {
	t.Helper()
	d.at = d.at.Add(time.Second)
	change := event.Change{Stream: event.Stream{Tenant: tenant, ID: stream}, Expected: from, Events: events}
	if _, err := d.storeFor(t, events...).Append(ctx, change); err != nil {
		t.Fatal(err)
	}
}

// storeFor returns the store, or the owner's for an erasure that no one requested, as after
// a restore. The keys that it names are gone.
func (d *day) storeFor(t *testing.T, events ...event.Event) *eventstore.Store {
	t.Helper()
	last := events[len(events)-1]
	if !strings.HasSuffix(last.EventName(), ".erased.v1") {
		return d.store
	}
	_, data, err := d.codec.Encode(last)
	must(t, err)
	owner := d.db.AdminPool(t)
	_, err = owner.Exec(t.Context(), `DELETE FROM personal_keys USING jsonb_to_recordset($1::jsonb -> 'keys') AS k (holder uuid) WHERE personal_keys.holder = k.holder`, string(data))
	must(t, err)
	return &eventstore.Store{DB: postgres.On(owner), Codec: d.codec, Keys: d.keys, AtOnce: d.store.AtOnce, Now: d.store.Now}
}

// follow brings a following projection up to the end of the log.
func (d *day) follow(t *testing.T, p projections.Follower) {
	t.Helper()
	sequencer := eventstore.NewSequencer(d.pool, nil, nil, slog.New(slog.DiscardHandler))
	if err := sequencer.Drain(t.Context()); err != nil {
		t.Fatal(err)
	}
	tx, err := d.pool.Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	skipped := d.codec.Without(p.Follows()...)
	for e, err := range (eventstore.Log{DB: d.pool, Codec: d.codec}).After(t.Context(), 0) {
		if err == nil && slices.Contains(skipped, e.EventName()) {
			continue
		}
		if err == nil {
			err = eventstore.Following(p)(t.Context(), tx.Conn(), []event.Recorded{e})
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := tx.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
}

func as(ctx context.Context, actor event.Actor) context.Context {
	return event.WithMetadata(ctx, event.Metadata{Actor: actor})
}

// The people and places of a day.
var (
	ann  = patient.ID{UUID: uuid.MustParse("0190c7a2-0000-7000-8000-0000000000a1")}
	bill = patient.ID{UUID: uuid.MustParse("0190c7a2-0000-7000-8000-0000000000a2")}
	lee  = staff.ID{UUID: uuid.MustParse("0190c7a2-0000-7000-8000-0000000000b1")}
	kim  = staff.ID{UUID: uuid.MustParse("0190c7a2-0000-7000-8000-0000000000b2")}
	main = site.ID{UUID: uuid.MustParse("0190c7a2-0000-7000-8000-0000000000c1")}
	room = site.RoomID{UUID: uuid.MustParse("0190c7a2-0000-7000-8000-0000000000d1")}

	subject = appointment.Subject{
		Appointment: appointment.ID{UUID: uuid.MustParse("0190c7a2-0000-7000-8000-0000000000e1")}, Patient: ann, Site: main,
	}
	booked   = appointment.Booked{Subject: subject, At: noon}
	calledIn = appointment.CalledIn{Subject: subject, Room: room, CalledInAt: noon.Add(time.Minute)}
	noRoom   = appointment.CalledIn{Subject: subject, CalledInAt: noon.Add(2 * time.Minute)}
	removed  = appointment.CallInRemoved{Subject: subject, Reason: appointment.Cleared, RemovedAt: noon.Add(3 * time.Minute)}
	absent   = appointment.DidNotAttend{Subject: subject}
	attended = appointment.Attended{Subject: subject}
	arrived  = appointment.Arrived{Subject: subject, ArrivedAt: noon.Add(-time.Minute)}
	moved    = appointment.Moved{Subject: subject, From: site.ID{UUID: uuid.MustParse("0190c7a2-0000-7000-8000-0000000000c2")}, At: noon}
)

// peopled is a day with a site, a room, two patients and a member of staff.
func peopled(t *testing.T) *day {
	t.Helper()
	d := newDay(t)
	ctx := t.Context()
	d.happened(ctx, t, elm, patient.StreamOf(elm, ann).ID, 0, patient.Registered{Patient: ann, Name: "Ann Archer", BirthDate: "1980-02-29"})
	d.happened(ctx, t, elm, patient.StreamOf(elm, bill).ID, 0, patient.Registered{Patient: bill, Name: "Bill Baker"})
	d.happened(ctx, t, elm, lee.UUID, 0, staff.Registered{Username: "dr.lee", Name: "Dr Lee", Email: "lee@elm.example"})
	d.happened(ctx, t, elm, main.UUID, 0, site.Added{Site: main, Name: "Elm Street"})
	d.happened(ctx, t, elm, room.UUID, 0, site.RoomAdded{Room: room, Site: main, Name: "Room 1"})
	return d
}
