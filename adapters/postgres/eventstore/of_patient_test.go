package eventstore_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/google/uuid"

	"frontdesk/adapters/postgres/enginetest"
	"frontdesk/adapters/postgres/eventstore"
	"frontdesk/domain/event"
	"frontdesk/domain/event/eventtest"
	"frontdesk/domain/patient"
)

func ofPatient(tenant string, events ...event.Event) event.Change {
	return event.Change{Stream: event.Stream{Tenant: tenant, ID: uuid.New()}, Events: events, OfPatient: true}
}

// A refused append draws no position, so that it leaves no gap for the sequencer to watch.
func TestAppendNeedsPatientOfPractice_D18(t *testing.T) {
	t.Parallel()
	e, ann, bill := newEngine(t), uuid.New(), uuid.New()
	_, err := e.Pool.Exec(t.Context(),
		`INSERT INTO patients (tenant, patient) VALUES ('elm-street', $1), ('oak-lane', $2)`, ann, bill)
	if err != nil {
		t.Fatal(err)
	}
	about := func(id uuid.UUID) event.Event { return eventtest.Marked{Mark: "a cough", Patient: id} }
	for name, change := range map[string]event.Change{
		"another practice's":         ofPatient("elm-street", about(bill)),
		"unknown":                    ofPatient("elm-street", about(uuid.New())),
		"no patient":                 ofPatient("elm-street", about(uuid.Nil)),
		"an event about no patient":  ofPatient("elm-street", eventtest.Counted{N: 1}),
		"one beside one who is":      ofPatient("elm-street", about(ann), about(bill)),
		"of a practice that is none": ofPatient("nobodys", about(ann)),
	} {
		if _, err := e.Store.Append(t.Context(), change); !errors.Is(err, patient.ErrUnknown) {
			t.Errorf("%s: %v, want %v", name, err, patient.ErrUnknown)
		}
	}
	for name, change := range map[string]event.Change{
		"their own":  ofPatient("elm-street", about(ann), about(ann)),
		"not needed": {Stream: enginetest.NewStream(), Events: []event.Event{about(bill)}},
	} {
		if _, err := e.Store.Append(t.Context(), change); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	var drawn int
	if err := e.Pool.QueryRow(t.Context(), `SELECT max(position) FROM events`).Scan(&drawn); err != nil || drawn != 3 {
		t.Errorf("%d positions are drawn, %v; want 3", drawn, err)
	}
}

// Two of a group have unknown patients. The others stay together.
func TestUnknownPatientLeavesTheGroup_D60(t *testing.T) {
	t.Parallel()
	c, ann := newCrowd(t, ""), uuid.New()
	c.must(t, `INSERT INTO patients (tenant, patient) VALUES ('elm-street', '`+ann.String()+`')`)
	outcomes := make([]chan error, 6)
	note := func(n int) string { return fmt.Sprint("together ", n) }
	for n := range outcomes {
		outcomes[n] = make(chan error, 1)
		change := ofPatient("elm-street", eventtest.Marked{Mark: note(n), Patient: ann})
		if n == 1 || n == 4 {
			change = ofPatient("elm-street", eventtest.Marked{Mark: note(n), Patient: uuid.New()})
		}
		go func() { outcomes[n] <- enginetest.Second(c.Store.Append(t.Context(), change)) }()
		c.await(t, eventstore.Few+2+n+1, n+1)
	}
	c.letGo()
	for n, outcome := range outcomes {
		var want error
		if n == 1 || n == 4 {
			want = patient.ErrUnknown
		}
		if err := <-outcome; !errors.Is(err, want) {
			t.Errorf("append %d: %v, want %v", n, err, want)
		}
	}
	c.ahead.Wait()
	if events, want := c.count(t, "events"), eventstore.Few+2+4; events != want {
		t.Errorf("%d events are stored, want %d", events, want)
	}
	if n := c.transactions(t, "together"); n != 1 {
		t.Errorf("the others were stored in %d transactions, want one", n)
	}
}
