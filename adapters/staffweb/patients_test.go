package staffweb_test

import (
	"context"
	"errors"
	"html"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"frontdesk/adapters/postgres"
	"frontdesk/adapters/postgres/eventstore"
	"frontdesk/adapters/staffweb"
	"frontdesk/commands"
	"frontdesk/domain/erasure"
	"frontdesk/domain/event"
	"frontdesk/domain/patient"
	"frontdesk/domain/record"
	"frontdesk/domain/staff"
	"frontdesk/projections"
)

const patientsPage = "/elm-street/staff/patients"

// reception is the pages with a signed-in receptionist, and a patient.
func reception(t *testing.T, edits ...func(*staffweb.Pages)) (s *service, b *browser, ann patient.ID) {
	t.Helper()
	s = newService(t, edits...)
	s.member(t, "rose", staff.Receptionist)
	b = s.browser(t)
	b.signIn(elm, "rose")
	ann = s.patient(t, elm, "Ann Archer", "1980-02-29")
	return s, b, ann
}

func (s *service) member(t *testing.T, username string, roles ...staff.Role) {
	t.Helper()
	s.memberBy(t, event.Actor{}, username, roles...)
}

// memberBy registers a member of staff in the name of an actor.
func (s *service) memberBy(t *testing.T, by event.Actor, username string, roles ...staff.Role) {
	t.Helper()
	_, err := commands.Desk{Store: s.store, Passwords: passwords{s.pool}}.RegisterStaff(event.WithMetadata(t.Context(), event.Metadata{Actor: by}), commands.RegisterStaff{
		Tenant: elm, Username: username, Name: "The name of " + username, Email: "staff@practice.example", Password: password,
	})
	must(t, err)
	must(t, s.pages.Desk.SetStaffRoles(t.Context(), commands.SetStaffRoles{Tenant: elm, Username: username, Roles: roles}))
}

func (s *service) patient(t *testing.T, tenant, name, born string) patient.ID {
	t.Helper()
	id, err := s.pages.Desk.RegisterPatient(t.Context(), commands.RegisterPatient{Tenant: tenant, Name: name, BirthDate: born})
	must(t, err)
	s.drain(t)
	return id
}

// drain sequences all events, and updates the timeline.
func (s *service) drain(t *testing.T) {
	t.Helper()
	must(t, eventstore.NewSequencer(s.pool, nil, nil, slog.New(slog.DiscardHandler)).Drain(t.Context()))
}

// count counts the events of a name.
func (s *service) count(t *testing.T, name string) (n int) {
	t.Helper()
	must(t, s.pool.QueryRow(t.Context(), `SELECT count(*) FROM events WHERE name = $1`, name).Scan(&n))
	return n
}

func TestOpeningIsRecordedBeforeRecordIsShown_D85(t *testing.T) {
	t.Parallel()
	refuses := new(bool)
	s, b, ann := reception(t, func(p *staffweb.Pages) { p.Desk.Store = refusing{p.Desk.Store, refuses} })
	at := patientsPage + "/" + ann.String()
	page := b.get(at)
	for _, want := range []string{"<bdi>Ann Archer</bdi>", "29 February 1980", "No entries yet."} {
		page.wants(t, http.StatusOK, "", want)
	}
	note := page.form(t, at+"/notes")
	b.post(at+"/notes", note).wants(t, http.StatusBadRequest, "", "Write the note")
	note.Set("note", "<script>a cough</script>")
	for range 2 { // a form that is sent twice
		b.post(at+"/notes", note).wants(t, http.StatusSeeOther, at+"?done=note", "")
	}
	b.get(at).wants(t, http.StatusOK, "", "&lt;script&gt;a cough&lt;/script&gt;")
	if notes, opened := s.count(t, "care-record.note-created.v1"), s.count(t, "care-record.opened.v1"); notes != 1 || opened != 3 {
		t.Errorf("%d notes, %d openings", notes, opened)
	}
	note.Set("made", uuid.NewString()+note.Get("made")[36:])
	b.post(at+"/notes", note).wants(t, http.StatusForbidden, "", "You signed in again")

	*refuses = true
	if page := b.get(at); page.StatusCode != http.StatusInternalServerError || strings.Contains(page.body, "cough") {
		t.Errorf("what cannot be noted is shown: %s\n%s", page.Status, page.body)
	}
}

// refusing is a store that can be set to refuse appends.
type refusing struct {
	commands.Store
	now *bool
}

// Append fails.
func (r refusing) Append(ctx context.Context, changes ...event.Change) ([]event.Recorded, error) {
	if *r.now {
		return nil, errors.New("the disk is full")
	}
	return r.Store.Append(ctx, changes...)
}

func TestUnknownPatientsGetSameAnswer_D85(t *testing.T) {
	t.Parallel()
	s, b, _ := reception(t)
	theirs, gone := s.patient(t, oak, "Ann Oakes", ""), s.patient(t, elm, "Cleo Cole", "")
	owner := s.db.AdminPool(t)
	_, err := owner.Exec(t.Context(), `DELETE FROM personal_keys WHERE holder = $1`, gone)
	must(t, err)
	restored := &eventstore.Store{DB: postgres.On(owner), Codec: s.store.Codec, Keys: s.store.Keys, AtOnce: s.store.AtOnce, Now: s.Now}
	_, err = restored.Append(t.Context(), event.Change{Stream: patient.StreamOf(elm, gone), Expected: 1, Events: []event.Event{
		patient.Erased{Patient: gone, Done: erasure.Done{Basis: erasure.Restored, Keys: []erasure.Key{{Kind: event.OfPatient, Holder: gone.UUID}}}},
	}})
	must(t, err)
	b.find(url.Values{"identifier": {gone.String()}}).wants(t, http.StatusOK, "", "No patient found")
	b.find(url.Values{"name": {"cleo"}}).wants(t, http.StatusOK, "", "No patient found")
	for _, path := range []string{"", "/glass", "/timeline", "/details", "/contact", "/notes"} {
		want := b.get(patientsPage + "/" + uuid.NewString() + path)
		want.wants(t, http.StatusNotFound, "", "We could not find that patient")
		for _, id := range []string{theirs.String(), gone.String(), uuid.Nil.String(), "x", strings.ToUpper(theirs.String()) + "%00"} {
			if page := b.get(patientsPage + "/" + id + path); page.StatusCode != http.StatusNotFound || page.body != want.body {
				t.Errorf("%s%s: %s\n%s", id, path, page.Status, page.body)
			}
		}
	}
	for _, path := range []string{"/glass", "/details", "/notes"} {
		b.post(patientsPage+"/"+theirs.String()+path, url.Values{}).wants(t, http.StatusNotFound, "", "We could not find that patient")
	}
}

func TestReasonOpensRecordForHalfAnHour_D85(t *testing.T) {
	t.Parallel()
	s, b, ann := reception(t)
	at := patientsPage + "/" + ann.String()
	_, err := s.pages.Desk.CreateNote(t.Context(), commands.CreateNote{Tenant: elm, Patient: ann, Text: "a secret cough"})
	must(t, err)
	before := b.get(at).form(t, at+"/notes")
	must(t, s.pages.Desk.RestrictPatientRecord(t.Context(), commands.RestrictPatientRecord{Tenant: elm, Patient: ann, Usernames: []string{"dr.lee"}}))
	opened := s.count(t, "care-record.opened.v1")
	closed := func(path string) seen {
		t.Helper()
		page := b.get(at + path)
		page.wants(t, http.StatusOK, "", "you do not have access")
		if strings.Contains(page.body, "cough") {
			t.Errorf("a closed record is shown:\n%s", page.body)
		}
		return page
	}
	for _, path := range []string{"", "/glass", "/timeline", "/contact", "/notes"} {
		closed(path)
	}
	before.Set("note", "an opinion")
	b.post(at+"/notes", before).wants(t, http.StatusForbidden, "", "Your note has not been added")
	if n := s.count(t, "care-record.opened.v1"); n != opened {
		t.Errorf("%d openings of a closed record", n-opened)
	}
	request := uuid.NewString()
	form := closed("?request="+request).form(t, at+"/glass")
	b.post(at+"/glass", form).wants(t, http.StatusBadRequest, "", html.EscapeString(record.ErrNoGlassReason.Detail))
	form.Set("reason", "She has collapsed")
	stale := url.Values{"reason": form["reason"]}
	b.post(at+"/glass", stale).wants(t, http.StatusForbidden, "", "You signed in again")
	b.post(at+"/glass", form).wants(t, http.StatusSeeOther, "/elm-street/staff/requests/"+request, "")
	form.Del("request")
	b.post(at+"/glass", form).wants(t, http.StatusSeeOther, at+"?done=glass", "")
	b.get(at).wants(t, http.StatusOK, "", "a secret cough")
	b.get(at).wants(t, http.StatusOK, "", "until 1:30pm on Wednesday 1 July.")
	if n := s.count(t, "care-record.glass-broken.v1"); n != 1 {
		t.Errorf("the glass was broken %d times", n)
	}
	s.member(t, "sam", staff.Clinician)
	rose := b
	b = s.browser(t)
	b.signIn(elm, "sam")
	closed("")
	b = rose
	s.Pass(record.GlassTime - time.Second)
	b.get(at).wants(t, http.StatusOK, "", "a secret cough")
	s.Pass(time.Second)
	closed("")
}

func TestRegisterOnceAndChangeDetails_D85(t *testing.T) {
	t.Parallel()
	s, b, ann := reception(t)
	register := patientsPage + "/register"
	form := b.get(register).form(t, register)
	send := func(name, born string) seen {
		form.Set("name", name)
		form.Set("born", born)
		return b.post(register, form)
	}
	send(" ", "").wants(t, http.StatusBadRequest, "", "Give the patient a name.")
	send("Bill", "30 2 1980").wants(t, http.StatusBadRequest, "", "30 February 1980 does not exist.")
	for _, born := range []string{"3 7 2026", "1 1 2030", "1 1 1830"} {
		send("Bill", born).wants(t, http.StatusBadRequest, "", "Check the date of birth: it is in the future or more than 130 years ago.")
	}
	warned := send("archer ANN", "")
	warned.wants(t, http.StatusConflict, "", "Possible duplicate.")
	warned.wants(t, http.StatusConflict, "", patientsPage+"/"+ann.String())
	form = warned.form(t, register)
	send("Ann Archer", "29 2 1980").wants(t, http.StatusConflict, "", "Possible duplicate.") // not the values that were confirmed
	var made string
	for range 2 {
		made = send("archer ANN", "").Header.Get("Location")
	}
	b.get(made).wants(t, http.StatusOK, "", "The patient has been registered.")
	if n := s.count(t, "patient.registered.v1"); n != 2 {
		t.Errorf("%d patients are registered", n)
	}
	form.Set("made", ann.String()+form.Get("made")[36:])
	send("archer ANN", "").wants(t, http.StatusForbidden, "", "You signed in again")

	at := patientsPage + "/" + ann.String()
	details := at + "/details"
	first, second := b.get(details).form(t, details), b.get(details).form(t, details)
	change := func(form url.Values, name, born string) seen {
		form.Set("name", name)
		form.Set("born", born)
		return b.post(details, form)
	}
	change(first, "Ann Archer", "29 2 1980").wants(t, http.StatusSeeOther, at, "")
	change(first, "", "29 2 1980").wants(t, http.StatusBadRequest, "", "Give the patient a name.")
	change(first, "Ann Baker", "x").wants(t, http.StatusBadRequest, "", "Enter a date of birth with a day")
	change(first, "Ann Baker", "1 1 1830").wants(t, http.StatusBadRequest, "", "Check the date of birth")
	change(first, "Ann Baker", "").wants(t, http.StatusSeeOther, at+"?done=details", "")
	change(second, "Ann Cole", "").wants(t, http.StatusConflict, "", "They are now Ann Baker, without a date of birth.")
	if n := s.count(t, "patient.details-changed.v1"); n != 1 {
		t.Errorf("the details were changed %d times", n)
	}
	b.get(at).wants(t, http.StatusOK, "", "<bdi>Ann Baker</bdi>")
}

func TestTimelineNamesActors_D85(t *testing.T) {
	t.Parallel()
	s, b, ann := reception(t)
	at := patientsPage + "/" + ann.String()
	b.get(at)
	s.drain(t)
	timeline := projections.Timeline{DB: s.pool}
	var member uuid.UUID
	must(t, s.pool.QueryRow(t.Context(), `SELECT staff FROM staff WHERE username = 'rose'`).Scan(&member))
	for n, actor := range []event.Actor{event.Staff(member), event.Application(s.app.UUID, "x", nil), event.Operator("alice", ""), event.Staff(uuid.New())} {
		timeline.Project(event.Recorded{
			Event: record.CareRecordOpened{Patient: ann}, Idx: int64(n + 1), Stream: event.Stream{Tenant: elm, ID: uuid.New()}, At: s.Now(), Metadata: event.Metadata{Actor: actor},
		}, func(sql string, args ...any) {
			_, err := s.pool.Exec(t.Context(), sql, args...)
			must(t, err)
		})
	}
	page := b.get(at + "/timeline")
	for _, who := range []string{"The name of rose", "Triage Helper", "An operator of the service", "Former member of staff"} {
		page.wants(t, http.StatusOK, "", "<bdi>"+who+"</bdi> opened the record")
	}
	b.get(at+"/timeline?before=2").wants(t, http.StatusOK, "", "The name of rose")
	if older := b.get(at + "/timeline?before=2"); strings.Contains(older.body, "Triage Helper") {
		t.Errorf("an older page has what is newer:\n%s", older.body)
	}
}
