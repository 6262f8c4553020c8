package commands_test

import (
	"context"
	"sync"
	"testing"

	"frontdesk/commands"
	"frontdesk/commands/commandtest"
	"frontdesk/domain/event"
	"frontdesk/domain/request"
)

// library is a store that records which streams were loaded.
type library struct {
	*commandtest.Store
	mu     sync.Mutex
	loaded map[event.Stream]bool
}

func (l *library) Load(ctx context.Context, stream event.Stream) ([]event.Event, error) {
	l.mu.Lock()
	l.loaded[stream] = true
	l.mu.Unlock()
	return l.Store.Load(ctx, stream)
}

// clumsy is a store whose appends conflict a few times, as in a deadlock.
type clumsy struct {
	*commandtest.Store
	clashes int
}

func (c *clumsy) Append(ctx context.Context, changes ...event.Change) ([]event.Recorded, error) {
	if c.clashes--; c.clashes >= 0 {
		return nil, event.ErrConflict
	}
	return c.Store.Append(ctx, changes...)
}

func TestConflictingAppendIsRetried(t *testing.T) {
	t.Parallel()
	d := startDay(t)
	store := &clumsy{Store: d.Store, clashes: 3}
	before := len(store.Log())
	_, err := commands.Desk{Store: store}.AddSite(t.Context(), commands.AddSite{Tenant: elm, Name: "Annexe"})
	if appended := len(store.Log()) - before; err != nil || appended != 1 {
		t.Errorf("%v, %d appended", err, appended)
	}
}

func TestNewStreamIsAppendedWithoutLoad_D39(t *testing.T) {
	t.Parallel()
	d := startDay(t)
	store := &library{Store: d.Store, loaded: map[event.Stream]bool{}}
	desk := commands.Desk{
		Store: store, Patients: store, Staff: store, Receptions: store, Responses: store, Now: noon,
		CheckURL: func(string) error { return nil },
	}
	for name, do := range map[string]func(context.Context) error{
		"an application": func(ctx context.Context) error {
			_, err := desk.RegisterApplication(ctx, commands.RegisterApplication{Name: "Referrals", JWKSURL: keysURL})
			return err
		},
		"a member of staff": func(ctx context.Context) error {
			_, err := desk.RegisterStaff(ctx, commands.RegisterStaff{Tenant: elm, Username: "sam", Name: "Sam", Email: "sam@elm.example"})
			return err
		},
		"a site": func(ctx context.Context) error {
			_, err := desk.AddSite(ctx, commands.AddSite{Tenant: elm, Name: "Annexe"})
			return err
		},
		"a room": func(ctx context.Context) error {
			_, err := desk.AddRoom(ctx, commands.AddRoom{Tenant: elm, Site: d.site, Name: "Room 2"})
			return err
		},
		"an appointment": func(ctx context.Context) error {
			_, err := desk.BookAppointment(ctx, commands.BookAppointment{Tenant: elm, Patient: d.patient, Site: d.site, At: noon()})
			return err
		},
		"a consultation": func(ctx context.Context) error {
			_, err := desk.StartConsultation(ctx, commands.StartConsultation{Tenant: elm, Patient: d.patient})
			return err
		},
		"an opening": func(ctx context.Context) error {
			return desk.OpenCareRecord(ctx, commands.OpenCareRecord{Tenant: elm, Patient: d.patient})
		},
		"a note": func(ctx context.Context) error {
			_, err := desk.CreateNote(ctx, commands.CreateNote{Tenant: elm, Patient: d.patient, Text: "a cough"})
			return err
		},
		"a request": func(ctx context.Context) error {
			_, err := desk.SubmitPatientRequest(ctx, commands.SubmitPatientRequest{Tenant: elm,
				Submission: request.Submission{Patient: d.patient, Type: request.Medical, Requester: request.ByPatient}})
			return err
		},
	} {
		before := len(store.Log())
		must(t, do(t.Context()))
		appended := store.Log()[before:]
		if len(appended) == 0 {
			t.Errorf("%s: nothing was appended", name)
		}
		for _, e := range appended {
			if store.loaded[e.Stream] {
				t.Errorf("%s: the stream of %s was loaded, and was new", name, e.EventName())
			}
		}
	}
}
