package staffweb_test

import (
	"context"
	"net/http"
	"net/url"
	"slices"
	"sync"
	"testing"

	"frontdesk/commands"
	"frontdesk/domain/event"
	"frontdesk/domain/patient"
	"frontdesk/domain/staff"
	"frontdesk/projections"
)

// appendsFirst is a store to which another actor appends first: after a page has read, and
// before its own append.
type appendsFirst struct {
	commands.Store
	once sync.Once
	done func()
}

func (m *appendsFirst) Append(ctx context.Context, changes ...event.Change) ([]event.Recorded, error) {
	m.once.Do(m.done)
	return m.Store.Append(ctx, changes...)
}

// faster lets a colleague act between the read and the append of the page's next
// action.
func (s *service) faster(t *testing.T, act func(commands.Desk) error) {
	t.Helper()
	desk := s.pages.Desk
	desk.Store = s.store
	s.pages.Desk.Store = &appendsFirst{Store: s.store, done: func() {
		if err := act(desk); err != nil {
			t.Error(err)
		}
	}}
}

// A conflict within a millisecond gets the same answer as one within a minute.
func TestAppointmentConflictNamesFirstActor_D86(t *testing.T) {
	t.Parallel()
	c := newClinic(t)
	b := c.browser(t)
	b.signIn(elm, "kim")
	page := b.get(c.at(c.visit))
	c.faster(t, func(desk commands.Desk) error {
		return desk.MarkArrived(t.Context(), commands.MarkArrived{Tenant: elm, Appointment: c.visit})
	})
	c.sends(b, page, "absent").wants(t, http.StatusConflict, "", "marked the patient as arrived")
	if is := c.is(t); is.ArrivedAt == nil || is.Status != projections.StatusBooked {
		t.Errorf("a patient who waits is %+v", is)
	}

	page = b.get(c.at(c.visit))
	c.faster(t, func(desk commands.Desk) error {
		return desk.CallInPatient(t.Context(), commands.CallInPatient{Tenant: elm, Appointment: c.visit, Room: c.room})
	})
	c.sends(b, page, "call-in", "room", "").wants(t, http.StatusConflict, "", "called the patient in to Room 1")
	if is := c.is(t); is.Room != c.room {
		t.Errorf("they are called in to %v", is.Room)
	}
}

// Concurrent changes of different details do not undo each other.
func TestDetailsConflictShowsCurrentValues_D85(t *testing.T) {
	t.Parallel()
	s := newService(t)
	s.member(t, "rose", staff.Receptionist)
	b := s.browser(t)
	b.signIn(elm, "rose")
	ann := s.patient(t, elm, "Ann Archer", "1980-02-29")
	details := "/elm-street/staff/patients/" + ann.String() + "/details"
	form := b.get(details).form(t, details)
	form.Set("name", "Ann Archer")
	form.Set("born", "1 3 1980")
	s.faster(t, func(desk commands.Desk) error {
		return desk.ChangePatientDetails(t.Context(), commands.ChangePatientDetails{Tenant: elm, Patient: ann, Name: "Ann Baker", BirthDate: "1980-02-29"})
	})
	b.post(details, form).wants(t, http.StatusConflict, "", "They are now Ann Baker, born on 29 February 1980.")
	names, err := s.pages.Names.Find(t.Context(), elm, ann)
	must(t, err)
	if want := (projections.PatientName{Name: "Ann Baker", BirthDate: "1980-02-29"}); names[ann] != want {
		t.Errorf("they are %+v", names[ann])
	}
}

// An officer who has not seen that a colleague restricted a record further cannot open
// it to others.
func TestRestrictConflictShowsCurrentState_D90(t *testing.T) {
	t.Parallel()
	s, b, ann := officer(t)
	rose, err := s.pages.Desk.Staff.StaffByUsername(t.Context(), elm, "rose")
	must(t, err)
	form := b.deciding(ann, "restrict", url.Values{"member": {rose.String()}})
	s.faster(t, func(desk commands.Desk) error {
		return desk.RestrictPatientRecord(t.Context(), commands.RestrictPatientRecord{Tenant: elm, Patient: ann, Usernames: []string{"dr.lee"}})
	})
	b.post(about(ann), form).wants(t, http.StatusConflict, "", "someone has changed something about this patient")
	lee, err := s.pages.Desk.Staff.StaffByUsername(t.Context(), elm, "dr.lee")
	must(t, err)
	history, err := s.store.Load(t.Context(), patient.StreamOf(elm, ann))
	must(t, err)
	restricted, _ := history[len(history)-1].(patient.RecordRestricted)
	if len(history) != 2 || !slices.Equal(restricted.Staff, []staff.ID{lee}) {
		t.Errorf("the history is %+v", history)
	}
}

// A form that has registered Ann, and is sent again with Bob, does not lead to Ann as
// if Bob were registered.
func TestUsedRegistrationFormIsRefused_D85(t *testing.T) {
	t.Parallel()
	s, b, _ := reception(t)
	const register = "/elm-street/staff/patients/register"
	send := func(form url.Values, name string) seen {
		form.Set("name", name)
		return b.post(register, form)
	}
	form := b.get(register).form(t, register)
	send(form, "Carl Cole")
	again := send(form, "Bob Bone")
	again.wants(t, http.StatusConflict, "", "This form has registered a patient already.")
	if n := s.count(t, "patient.registered.v1"); n != 2 {
		t.Errorf("%d patients are registered", n)
	}
	send(again.form(t, register), "Bob Bone")
	if n := s.count(t, "patient.registered.v1"); n != 3 {
		t.Errorf("%d patients are registered", n)
	}
}
