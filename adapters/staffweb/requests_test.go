package staffweb_test

import (
	"context"
	"crypto/sha256"
	"errors"
	"html"
	"io"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"frontdesk/adapters/postgres"
	"frontdesk/adapters/postgres/eventstore"
	"frontdesk/adapters/postgres/postgrestest"
	"frontdesk/adapters/postgres/uploads"
	"frontdesk/adapters/staffweb"
	"frontdesk/commands"
	"frontdesk/domain/access"
	"frontdesk/domain/event"
	"frontdesk/domain/patient"
	"frontdesk/domain/request"
	"frontdesk/domain/staff"
	"frontdesk/projections"
)

// The texts that must not appear in a log, an address or a stranger's page.
const (
	annName, annConcern, fileName = "Ann Archer-Quill", "a rash nobody may know of", "rash-of-ann.png"
)

// forgetful is a store that cannot record openings.
type forgetful struct{ commands.Store }

var errForgetful = errors.New("there is no room for it")

func (f forgetful) Append(ctx context.Context, changes ...event.Change) ([]event.Recorded, error) {
	switch changes[0].Events[0].(type) {
	case request.Opened, request.AttachmentOpened:
		return nil, errForgetful
	}
	return f.Store.Append(ctx, changes...)
}

// posed is Elm Street with a request of Ann's that has a picture, and one with a
// damaged file.
type posed struct {
	*service
	ann  patient.ID
	id   request.ID
	file request.Attachment
	page string
}

func newPosed(t *testing.T, edits ...func(*staffweb.Pages)) *posed {
	t.Helper()
	a := &posed{service: newService(t, edits...)}
	for username, tenant := range map[string]string{"bob": elm, "kim": elm, "eve": oak} {
		a.register(t, tenant, username, strings.ToUpper(username[:1])+username[1:], false)
		a.has(t, tenant, username, staff.Receptionist)
	}
	desk := commands.Desk{Store: a.store, Now: a.Now}
	var err error
	a.ann, err = desk.RegisterPatient(t.Context(), commands.RegisterPatient{Tenant: elm, Name: annName})
	must(t, err)
	content := []byte("\x89PNG\r\n\x1a\n" + strings.Repeat("picture", 20_000))
	files, picture := &uploads.Store{DB: postgres.On(a.pool), Now: a.Now}, request.Attachment{FileName: fileName, ContentType: "image/png"}
	a.file = postgrestest.Upload(t, files, elm, picture, content)
	spoilt := postgrestest.Upload(t, files, elm, picture, content)
	spoilt.SHA256 = sha256.Sum256(nil) // the stored file is another
	a.id = request.ID{UUID: event.NewID()}
	_, err = a.store.Append(t.Context(), event.Change{Stream: request.StreamOf(elm, a.id), OfPatient: true, Events: request.Submit(request.Submission{
		Patient: a.ann, Type: request.Medical, Requester: request.ByPatient, Application: a.app, Attachments: []request.Attachment{a.file, spoilt},
		Response: []request.Answer{{Question: "healthConcern", Answer: annConcern}},
	})})
	must(t, err)
	a.page = "/elm-street/staff/requests/" + a.id.String()
	return a
}

func (s *service) has(t *testing.T, tenant, username string, roles ...staff.Role) {
	t.Helper()
	must(t, s.pages.Desk.SetStaffRoles(t.Context(), commands.SetStaffRoles{Tenant: tenant, Username: username, Roles: roles}))
}

// signedIn is the browser of a signed-in member.
func (s *service) signedIn(t *testing.T, tenant, username string) *browser {
	t.Helper()
	b := s.browser(t)
	b.signIn(tenant, username)
	return b
}

// appended counts events of a name.
func (s *service) appended(t *testing.T, name string) (n int) {
	t.Helper()
	must(t, s.pool.QueryRow(t.Context(), `SELECT count(*) FROM events WHERE name = $1`, name).Scan(&n))
	return n
}

// erasing opens events as if their patients had just been erased.
type erasing struct {
	projections.Opener
	now *bool
}

func (e erasing) Open(ctx context.Context, events []event.Stored) ([]event.Recorded, error) {
	opened, err := e.Opener.Open(ctx, events)
	for n, r := range opened {
		if registered, ok := r.Event.(patient.Registered); ok && *e.now {
			registered.Name = event.Erased
			opened[n].Event = registered
		}
	}
	return opened, err
}

// A patient is erased after their request was opened, and before their name is read.
func TestRequestOfErasedPatient_D84(t *testing.T) {
	t.Parallel()
	erased := false
	a := newPosed(t, func(p *staffweb.Pages) { p.Names.Opens = erasing{p.Names.Opens, &erased} })
	b := a.signedIn(t, elm, "bob")
	b.get(a.page).wants(t, http.StatusOK, "", annConcern)
	erased = true
	page := b.get(a.page)
	page.wants(t, http.StatusNotFound, "", "could not find that request")
	if strings.Contains(page.body, annConcern) {
		t.Errorf("the page shows what an erased patient asked:\n%s", page.body)
	}
}

func TestUnrecordedRequestIsNotShown_D84(t *testing.T) {
	t.Parallel()
	a := newPosed(t, func(p *staffweb.Pages) { p.Desk.Store = forgetful{p.Desk.Store} })
	b := a.signedIn(t, elm, "bob")
	for _, path := range []string{a.page, a.page + "/attachments/1"} {
		answer := b.get(path)
		answer.wants(t, http.StatusInternalServerError, "", "Sorry")
		for _, personal := range []string{annName, annConcern, fileName, "picture"} {
			if strings.Contains(answer.body, personal) {
				t.Errorf("%s shows %q", path, personal)
			}
		}
	}
}

// A form that is sent many times at once takes effect once.
func TestRepeatedFormTakesEffectOnce_D84(t *testing.T) {
	t.Parallel()
	a := newPosed(t)
	b := a.signedIn(t, elm, "bob")
	form := b.get(a.page).form(t, a.page)
	form.Set("do", "note")
	form.Set("text", "rang her")
	var all sync.WaitGroup
	statuses := make(chan int, 8)
	for range cap(statuses) {
		all.Go(func() { statuses <- b.post(a.page, form).StatusCode })
	}
	all.Wait()
	close(statuses)
	done := 0
	for status := range statuses {
		switch status {
		case http.StatusSeeOther:
			done++
		case http.StatusConflict:
		default:
			t.Errorf("answered %d", status)
		}
	}
	if n := a.appended(t, "patient-request.noted.v1"); done != 1 || n != 1 {
		t.Errorf("%d were told that it was done, %d notes", done, n)
	}
}

func TestSpoiltFileBreaksOff_D84(t *testing.T) {
	t.Parallel()
	a := newPosed(t)
	b := a.signedIn(t, elm, "bob")
	answer := b.get(a.page + "/attachments/1")
	if len(answer.body) != int(a.file.Size) || answer.Header.Get("Content-Disposition") != "inline; filename="+fileName || answer.Header.Get("X-Content-Type-Options") != "nosniff" ||
		answer.Header.Get("Content-Type") != "image/png" || answer.Header.Get("Content-Security-Policy") != "sandbox; default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'" {
		t.Errorf("%d bytes, %v", len(answer.body), answer.Header)
	}
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, a.URL+a.page+"/attachments/2", http.NoBody)
	must(t, err)
	spoilt, err := b.client.Do(r)
	must(t, err)
	defer spoilt.Body.Close()
	if read, err := io.Copy(io.Discard, spoilt.Body); !errors.Is(err, io.ErrUnexpectedEOF) || read >= a.file.Size {
		t.Errorf("%d bytes came, %v", read, err)
	}
	a.waitForLog(t, "sending an attachment failed")
	if strings.Contains(a.watched.String(), fileName) {
		t.Errorf("the log names the file:\n%s", a.watched)
	}
}

var rowLink = regexp.MustCompile(`<a href="/elm-street/staff/requests/([0-9a-f-]{36})\?`)

// Every request is on exactly one page, and a patient on all of them has one line of the
// access record.
func TestInboxPagesListEachRequestOnce_D84(t *testing.T) {
	t.Parallel()
	a := newPosed(t)
	const many = 120
	_, err := a.pool.Exec(t.Context(), `
		INSERT INTO inbox (tenant, request, patient, type, urgent, by_proxy, files, submitted_at, idx)
		SELECT $1, gen_random_uuid(), $2, CASE WHEN n % 2 = 0 THEN 'medical' ELSE 'admin' END, n % 3 = 0, false, n % 4, $3::timestamptz - n * interval '1 minute', n
		FROM generate_series(1, $4) n`, elm, a.ann, a.Now(), many)
	must(t, err)
	bob := a.signedIn(t, elm, "bob")
	shown, pages := map[string]int{}, 0
	for next := "/elm-street/staff/requests"; next != ""; pages++ {
		answer := bob.get(next)
		answer.wants(t, http.StatusOK, "", "New <span class=\"count\">120</span>")
		for _, row := range rowLink.FindAllStringSubmatch(answer.body, -1) {
			shown[row[1]]++
		}
		next = nextPage(answer.body)
	}
	if len(shown) != many || pages != 3 {
		t.Errorf("%d requests on %d pages", len(shown), pages)
	}
	lines := a.looks.all()
	for _, line := range lines {
		if line.Endpoint != "requests" || line.Mode != access.ByPage || !slices.Equal(line.Patients, []patient.ID{a.ann}) {
			t.Errorf("the access record has %+v", line)
		}
	}
	if len(lines) != 1 {
		t.Errorf("%d lines of the access record", len(lines))
	}
	urgent := bob.get("/elm-street/staff/requests?type=admin&urgent=yes")
	if n := len(rowLink.FindAllString(urgent.body, -1)); n != many/6 {
		t.Errorf("%d are urgent and for the office", n)
	}
	for _, odd := range []string{"?tab=nowhere", "?after=x", "?after=true_1_2", "?type=other"} {
		bob.get("/elm-street/staff/requests"+odd).wants(t, http.StatusOK, "", `aria-current="page">New`)
	}
}

// nextPage returns the link to the next page; "" on the last page.
func nextPage(body string) string {
	before, _, more := strings.Cut(body, `">Next page</a>`)
	if !more {
		return ""
	}
	return html.UnescapeString(before[strings.LastIndex(before, `"`)+1:])
}

// followInbox fills the inbox from the whole log.
func (s *service) followInbox(t *testing.T) {
	t.Helper()
	s.drain(t)
	tx, err := s.pool.Begin(t.Context())
	must(t, err)
	_, err = tx.Exec(t.Context(), `DELETE FROM inbox`)
	must(t, err)
	codec := s.store.Codec
	skipped := codec.Without(projections.Inbox{}.Follows()...)
	for e, err := range (eventstore.Log{DB: s.pool, Codec: codec}).After(t.Context(), 0) {
		if err == nil && slices.Contains(skipped, e.EventName()) {
			continue
		}
		must(t, err)
		must(t, eventstore.Following(projections.Inbox{})(t.Context(), tx.Conn(), []event.Recorded{e}))
	}
	must(t, tx.Commit(t.Context()))
}

// A member who works through a list opens the next request with the press that completes one.
func TestCompleteOpensNext_D154(t *testing.T) {
	t.Parallel()
	a := newPosed(t)
	asked := []request.ID{{UUID: event.NewID()}, {UUID: event.NewID()}}
	for _, id := range asked {
		_, err := a.store.Append(t.Context(), event.Change{Stream: request.StreamOf(elm, id), OfPatient: true, Events: request.Submit(request.Submission{
			Patient: a.ann, Type: request.Admin, Requester: request.ByPatient, Response: []request.Answer{{Question: "requestDetails", Answer: "a letter"}},
		})})
		must(t, err)
	}
	a.followInbox(t)
	bob := a.signedIn(t, elm, "bob")
	at := func(id request.ID) string { return "/elm-street/staff/requests/" + id.String() }
	page := bob.get(at(asked[0]) + "?tab=new&type=admin")
	page.wants(t, http.StatusOK, "", `href="`+at(asked[1])+`?tab=new&amp;type=admin" rel="next"`)
	if strings.Contains(page.body, `rel="prev"`) {
		t.Error("the first request of the list has one before it")
	}
	completed := with(page.form(t, at(asked[0])), "do", "complete-next", "outcome", string(request.Replied))
	bob.post(at(asked[0]), completed).wants(t, http.StatusSeeOther, at(asked[1])+"?tab=new&type=admin&done=next", "")
	a.followInbox(t)
	page = bob.get(at(asked[1]) + "?tab=new&type=admin&done=next")
	page.wants(t, http.StatusOK, "", "This is the next one.")
	if strings.Contains(page.body, "Complete and open the next") {
		t.Error("the last request of the list has one behind it")
	}
	completed = with(page.form(t, at(asked[1])), "do", "complete-next", "outcome", string(request.Replied))
	bob.post(at(asked[1]), completed).wants(t, http.StatusSeeOther, "/elm-street/staff/requests?tab=new&type=admin&done=last", "")
}

// A press in the list takes a request that no one has, whatever else has happened to it.
func TestTakeInList_D154(t *testing.T) {
	t.Parallel()
	a := newPosed(t)
	a.followInbox(t)
	bob, kim := a.signedIn(t, elm, "bob"), a.signedIn(t, elm, "kim")
	form := bob.get("/elm-street/staff/requests").form(t, a.page)
	must(t, a.pages.Desk.NotePatientRequest(t.Context(), commands.NotePatientRequest{Tenant: elm, Request: a.id, Text: "she rang again"}))
	slow := kim.get("/elm-street/staff/requests").form(t, a.page)
	bob.post(a.page, with(form, "do", "take")).wants(t, http.StatusSeeOther, a.page+"?tab=new&done=take", "")
	kim.post(a.page, with(slow, "do", "take")).wants(t, http.StatusConflict, "", "Bob took this")
	a.followInbox(t)
	before := len(a.looks.all())
	row := kim.get("/elm-street/staff/requests?fragment&row=" + a.id.String())
	row.wants(t, http.StatusOK, "", "Bob has it.")
	if strings.Contains(row.body, "<html") || len(a.looks.all()) != before {
		t.Errorf("the row of a taken request shows more than who has it:\n%s", row.body)
	}
	kim.get("/elm-street/staff/requests?fragment&row="+event.NewID().String()).wants(t, http.StatusNotFound, "", "")
}

// What is typed goes with the request.
func TestNoteGoesWithRequest_D154(t *testing.T) {
	t.Parallel()
	a := newPosed(t)
	bob := a.signedIn(t, elm, "bob")
	page := bob.get(a.page)
	_, rest, _ := strings.Cut(page.body, ">Kim, 0 open</option>")
	_, to, _ := strings.Cut(page.body[:len(page.body)-len(rest)-len(">Kim, 0 open</option>")], `<select id="to"`)
	kim := to[strings.LastIndex(to, `value="`)+7:][:36]
	bob.post(a.page, with(page.form(t, a.page), "do", "give", "to", kim, "text", "Please ring her before noon")).wants(t, http.StatusSeeOther, a.page+"?tab=new&done=give", "")
	bob.get(a.page).wants(t, http.StatusOK, "", "Please ring her before noon")
	if n := a.appended(t, "patient-request.noted.v1"); n != 1 {
		t.Errorf("%d notes", n)
	}
}
