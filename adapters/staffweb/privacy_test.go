package staffweb_test

import (
	"cmp"
	"context"
	"errors"
	"io"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"frontdesk/adapters/postgres/accesslog"
	"frontdesk/adapters/staffweb/privacy"
	"frontdesk/domain/access"
	"frontdesk/domain/application"
	"frontdesk/domain/audit"
	"frontdesk/domain/erasure"
	"frontdesk/domain/event"
	"frontdesk/domain/patient"
	"frontdesk/domain/staff"
)

// guarded is the actions behind the privacy pages, over the service's database. Copies
// are one line long.
func (s *service) guarded() privacy.Service {
	return privacy.Service{
		Calls: func(ctx context.Context, w privacy.CallFilter) (found []access.Call, err error) {
			f := accesslog.CallFilter{
				Tenant: w.Tenant, Patient: w.Patient, Staff: w.Staff, Kind: w.Kind, Since: w.Since, Until: w.Until, Before: w.Before,
			}
			if w.Refused {
				f.StatusFrom, f.StatusUntil = http.StatusBadRequest, http.StatusInternalServerError
			}
			for call, err := range (accesslog.Record{DB: s.pool}).Calls(ctx, f) {
				if found = append(found, call); err != nil || len(found) == w.Most {
					return found, err
				}
			}
			return found, nil
		},
		Notified: func(context.Context, []uuid.UUID) ([]privacy.Notified, error) { return nil, nil },
		Copy: func(_ context.Context, _ string, id patient.ID) (privacy.Copy, error) {
			return privacy.Copy{
				Reading: audit.Queried{Command: "subject-pack", Patient: id, Personal: true, Count: 1},
				Write: func(_ context.Context, w io.Writer) error {
					_, err := io.WriteString(w, "all of it")
					return cmp.Or(err, s.spoilt)
				},
			}, nil
		},
		Erased:  func(context.Context) error { return nil },
		Copying: make(chan struct{}, 1),

		Checkpoints: s.log,
	}
}

const privacyPage = "/elm-street/staff/privacy"

func about(id patient.ID) string { return privacyPage + "/patients/" + id.String() }

// officer is the pages with a signed-in privacy officer, and a patient.
func officer(t *testing.T) (*service, *browser, patient.ID) {
	t.Helper()
	s := newService(t)
	s.member(t, "rose", staff.Receptionist)
	s.member(t, "po.ann", staff.PrivacyOfficer)
	b := s.browser(t)
	b.signIn(elm, "po.ann")
	ann := s.patient(t, elm, "Ann Archer", "1980-02-29")
	return s, b, ann
}

// deciding is a form of a patient's page, filled in.
func (b *browser) deciding(id patient.ID, do string, fields url.Values) url.Values {
	b.t.Helper()
	form := b.get(about(id)).form(b.t, about(id))
	form.Set("do", do)
	for name := range fields {
		form[name] = fields[name]
	}
	return form
}

// A form acts on the patient that its page has shown, in that state, and once.
func TestPrivacyFormsFitOnePatientAndState_D90(t *testing.T) {
	t.Parallel()
	s, b, ann := officer(t)
	bo, elsewhere := s.patient(t, elm, "Bo Bell", ""), s.patient(t, oak, "Oli Oak", "")
	ask := url.Values{"basis": {string(erasure.CourtOrder)}, "reason": {"A court says so."}}
	form := b.deciding(ann, "ask", ask)
	b.post(about(bo), form).wants(t, http.StatusForbidden, "", "You signed in again")
	other := s.browser(t)
	s.member(t, "po.bob", staff.PrivacyOfficer)
	other.signIn(elm, "po.bob")
	other.post(about(ann), form).wants(t, http.StatusForbidden, "", "This page is out of date")
	for _, nobody := range []string{elsewhere.String(), uuid.NewString(), "ann", uuid.Nil.String()} {
		b.get(privacyPage+"/patients/"+nobody).wants(t, http.StatusNotFound, "", "We could not find that patient")
		b.post(privacyPage+"/patients/"+nobody, form).wants(t, http.StatusNotFound, "", "We could not find that patient")
	}
	stranger, err := s.pages.Desk.Staff.StaffByUsername(t.Context(), oak, "dr.lee")
	must(t, err)
	b.post(about(ann), b.deciding(ann, "restrict", url.Values{"member": {stranger.String()}})).wants(t, http.StatusBadRequest, "", "could not read")
	b.post(about(ann), b.deciding(ann, "explode", nil)).wants(t, http.StatusBadRequest, "", "could not read")
	if n := s.count(t, "patient.erasure-requested.v1") + s.count(t, "patient.record-restricted.v1"); n > 0 {
		t.Errorf("%d things were done all the same", n)
	}
	b.post(about(ann), b.deciding(ann, "ask", url.Values{"reason": {"Kept in the form."}})).wants(t, http.StatusBadRequest, "", `value="Kept in the form."`)
	b.post(about(ann), form).wants(t, http.StatusSeeOther, about(ann)+"?done=ask", "")
	b.post(about(ann), form).wants(t, http.StatusConflict, "", "someone has changed something about this patient")
	b.get(about(ann)).wants(t, http.StatusOK, "", "An operator of this service has to confirm it")
	other.get(about(ann)).wants(t, http.StatusOK, "", "the account of one of you was opened, reset or given its role")
	s.Pass(16 * time.Minute)
	at := "/elm-street/staff/confirm?then=privacy%2Fpatients%2F" + ann.String()
	for _, answer := range []seen{b.get(about(ann)), b.post(about(ann)+"/copy", form)} {
		answer.wants(t, http.StatusSeeOther, at, "")
	}
	b.post(about(ann), form).wants(t, http.StatusForbidden, "", "Your text is kept in this page")
	if n := s.count(t, "patient.erasure-requested.v1"); n != 1 {
		t.Errorf("it was asked for %d times", n)
	}
}

// The event of a copy comes before the copy, and an interrupted copy never looks
// complete.
func TestCopyIsRecordedBeforeItIsSent_D90(t *testing.T) {
	t.Parallel()
	s, b, ann := officer(t)
	form := b.get(about(ann)).form(t, about(ann)+"/copy")
	answer := b.post(about(ann)+"/copy", form)
	answer.wants(t, http.StatusOK, "", "all of it")
	if n := s.count(t, "audit.queried.v1"); n != 1 || !strings.HasPrefix(answer.Header.Get("Content-Disposition"), "attachment") {
		t.Errorf("%d readings are recorded, %v", n, answer.Header)
	}
	s.spoilt = errors.New("the disk is broken")
	if _, err := b.client.PostForm(s.URL+about(ann)+"/copy", form); err == nil {
		t.Error("a copy that broke off looks whole")
	}
	form.Set("token", "forged")
	b.post(about(ann)+"/copy", form).wants(t, http.StatusForbidden, "", "out of date")
	s.pages.Privacy.Copying <- struct{}{}
	b.post(about(ann)+"/copy", b.get(about(ann)).form(t, about(ann)+"/copy")).wants(t, http.StatusServiceUnavailable, "", "busy")
	<-s.pages.Privacy.Copying
	if n := s.count(t, "audit.queried.v1"); n != 2 {
		t.Errorf("%d readings are recorded", n)
	}
}

// Only the practice's privacy officers see access and refused calls, and no log of the
// program names a patient.
func TestPrivacyPagesShowAndRecordAccess_D90(t *testing.T) {
	t.Parallel()
	s, b, ann := officer(t)
	for n, c := range []access.Call{
		{Tenant: elm, Patient: ann, Status: http.StatusForbidden, Reason: "The app is not <i>authorised</i>"},
		{Tenant: elm, Patient: ann, Status: http.StatusOK}, {Tenant: oak, Status: http.StatusForbidden, Reason: "Another practice’s"},
	} {
		_, err := s.pool.Exec(t.Context(), `INSERT INTO access_record (request_id, at, tenant, application, mode, endpoint, patient, status, code, reason, token_hash)
			VALUES ($1, $2, $3, $4, 'application-restricted', 'create-note', $5, $6, '', $7, '\x00')`,
			event.NewID(), s.Now().Add(time.Duration(n)), c.Tenant, s.app.UUID, c.Patient.UUID, c.Status, c.Reason)
		must(t, err)
	}
	screen := uuid.NewString()
	shown := access.Call{Patients: []patient.ID{ann}}.ShownPatients()
	_, err := s.pool.Exec(t.Context(), `INSERT INTO access_record (request_id, at, tenant, application, mode, endpoint, status, code, reason, act, token_hash)
		VALUES ($1, $2, $3, $4, 'page', $5, 200, '', '', $6, '\x00')`, event.NewID(), s.Now(), elm, uuid.Nil, "display:"+screen, shown)
	must(t, err)
	if page := b.get(about(ann) + "?show=lists"); !strings.Contains(page.body, "<bdi>a screen in the waiting room</bdi></strong> showed that the patient was called in") || strings.Contains(page.body, screen) {
		t.Errorf("of a screen the page says\n%s", page.body)
	}
	page := b.get(privacyPage + "/refused")
	page.wants(t, http.StatusOK, "", "The app is not &lt;i&gt;authorised&lt;/i&gt;")
	if strings.Count(page.body, "They were told") != 1 || !strings.Contains(page.body, "Triage Helper") || !strings.Contains(page.body, "Ann Archer") {
		t.Errorf("the page shows\n%s", page.body)
	}
	b.get(about(ann)+"?show=calls").wants(t, http.StatusOK, "", "(refused)")
	b.get(privacyPage+"?before=nonsense").wants(t, http.StatusBadRequest, "", "could not read")
	b.get(about(ann)+"?before=-1").wants(t, http.StatusBadRequest, "", "could not read")
	b.post(privacyPage, b.searching(url.Values{"name": {"arch"}})).wants(t, http.StatusOK, "", "1 patient was found.")
	b.post(privacyPage, b.searching(url.Values{"name": {ann.String()}})).wants(t, http.StatusSeeOther, about(ann), "")
	topics := map[application.EndpointName]bool{}
	for _, look := range s.looks.lines {
		if look.Names(ann) {
			topics[look.Endpoint] = true
		}
	}
	if !topics["privacy"] || !topics["privacy-patient"] || !topics["privacy-refused"] {
		t.Errorf("the looks are %v", topics)
	}
	if log := s.watched.String(); strings.Contains(log, "Archer") || strings.Contains(log, ann.String()) {
		t.Errorf("the log says\n%s", log)
	}
}

// searching is the form that looks for a patient.
func (b *browser) searching(fields url.Values) url.Values {
	b.t.Helper()
	form := b.get(privacyPage).form(b.t, privacyPage)
	for name := range fields {
		form[name] = fields[name]
	}
	return form
}

func TestPageListsScopeOfErasure(t *testing.T) {
	t.Parallel()
	s, b, ann := officer(t)
	s.memberBy(t, event.Operator("bob", ""), "po.bob", staff.PrivacyOfficer)
	s.Pass(25 * time.Hour)
	b.signIn(elm, "po.ann")
	other := s.browser(t)
	b.get(about(ann)).wants(t, http.StatusOK, "", erasure.Reach)
	b.post(about(ann), b.deciding(ann, "ask", url.Values{"basis": {string(erasure.CourtOrder)}, "reason": {"A court says so."}})).
		wants(t, http.StatusSeeOther, about(ann)+"?done=ask", "")
	s.Pass(25 * time.Hour)
	s.db.PassClock(t, 25*time.Hour)
	other.signIn(elm, "po.bob")
	page := other.get(about(ann))
	page.wants(t, http.StatusOK, "", erasure.Reach)
	asked := regexp.MustCompile(`name="erasure" value="([^"]+)"`).FindStringSubmatch(page.body)
	other.post(about(ann), other.deciding(ann, "confirm", url.Values{"erasure": asked[1:]})).wants(t, http.StatusSeeOther, letterOf(asked[1])+"?done=erased", "")
	letter := other.get(letterOf(asked[1]) + "?done=erased")
	letter.wants(t, http.StatusOK, "", erasure.Reach)
	for _, part := range []string{"The data are erased.", "A court has ordered it", ann.String(), "becomes final after the master key has been rotated."} {
		if !strings.Contains(letter.body, part) {
			t.Errorf("the letter lacks %q:\n%s", part, letter.body)
		}
	}
	other.get(erasuresPage).wants(t, http.StatusOK, "", "becomes final after the master key has been rotated.")

	_, err := s.db.SuperuserPool(t).Exec(t.Context(), `BEGIN; SET LOCAL session_replication_role = replica; UPDATE master_keys SET replaced_at = now(), unused_at = now(), needed_until = '2026-05-01'; COMMIT`)
	must(t, err)
	other.get(erasuresPage).wants(t, http.StatusOK, "", "can become final from")
	_, err = s.db.SuperuserPool(t).Exec(t.Context(), `UPDATE master_keys SET destroyed_at = '2026-05-02'`)
	must(t, err)
	other.get(erasuresPage).wants(t, http.StatusOK, "", "is final since")
	other.get(letterOf(asked[1])).wants(t, http.StatusOK, "", "is final since")
	for _, unknown := range []string{event.NewID().String(), "x", uuid.Nil.String()} {
		other.get(letterOf(unknown)).wants(t, http.StatusNotFound, "", "There is no such erasure")
	}
}

const erasuresPage = privacyPage + "/erasures"

func letterOf(id string) string { return erasuresPage + "/" + id }
