package projections_test

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/google/uuid"

	"frontdesk/adapters/postgres/eventstore"
	"frontdesk/domain/appointment"
	"frontdesk/domain/event"
	"frontdesk/domain/patient"
	"frontdesk/domain/site"
	"frontdesk/domain/staff"
	"frontdesk/projections"
	"frontdesk/projections/projectionstest"
)

// day is a practice's database.
type day struct{ *projectionstest.Day }

const elm, oak = projectionstest.Elm, projectionstest.Oak

var noon = projectionstest.Noon

func newDay(t testing.TB) *day { return &day{projectionstest.New(t)} }

// happened appends events to streams of their own, one append each, a second
// apart.
func (d *day) happened(ctx context.Context, t *testing.T, tenant string, stream uuid.UUID, from int, events ...event.Event) {
	t.Helper()
	d.At = d.At.Add(time.Second)
	change := event.Change{Stream: event.Stream{Tenant: tenant, ID: stream}, Expected: from, Events: events}
	if _, err := d.StoreFor(t, events...).Append(ctx, change); err != nil {
		t.Fatal(err)
	}
}

// follow brings a following projection up to the end of the log.
func (d *day) follow(t *testing.T, p projections.Follower) {
	t.Helper()
	d.Drain(t)
	tx, err := d.Pool.Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	skipped := d.Codec.Without(p.Follows()...)
	for e, err := range (eventstore.Log{DB: d.Pool, Codec: d.Codec}).After(t.Context(), 0) {
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
	ann, bill = projectionstest.Ann, projectionstest.Bill
	lee, kim  = projectionstest.Lee, projectionstest.Kim

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
