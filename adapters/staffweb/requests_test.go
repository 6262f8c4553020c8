package staffweb_test

import (
	"context"
	"crypto/sha256"
	"errors"
	"html"
	"io"
	"maps"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"frontdesk/adapters/postgres"
	"frontdesk/adapters/staffweb"
	"frontdesk/commands"
	"frontdesk/domain/access"
	"frontdesk/domain/event"
	"frontdesk/domain/patient"
	"frontdesk/domain/request"
	"frontdesk/domain/staff"
)

// The texts that no log, address or stranger may come to see.
const (
	annName, annConcern, fileName = "Ann Archer-Quill", "a rash nobody may know of", "rash-of-ann.png"
)

// forgetful is a store in which openings cannot be recorded.
type forgetful struct{ commands.Store }

var errForgetful = errors.New("there is no room for it")

func (f forgetful) Append(ctx context.Context, changes ...event.Change) ([]event.Recorded, error) {
	switch changes[0].Events[0].(type) {
	case request.Opened, request.AttachmentOpened:
		return nil, errForgetful
	}
	return f.Store.Append(ctx, changes...)
}

// posed is Elm Street with a request of Ann's that has a picture, and one that was spoilt.
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
	desk := commands.Desk{Store: a.store}
	var err error
	a.ann, err = desk.RegisterPatient(t.Context(), commands.RegisterPatient{Tenant: elm, Name: annName})
	must(t, err)
	content := []byte(strings.Repeat("picture", 20_000))
	a.file = request.Attachment{ID: request.AttachmentID{UUID: event.NewID()}, FileName: fileName, ContentType: "image/png", Size: int64(len(content)), SHA256: sha256.Sum256(content)}
	spoilt := a.file // what is kept is not what was sent
	spoilt.ID, spoilt.SHA256 = request.AttachmentID{UUID: event.NewID()}, sha256.Sum256(nil)
	for _, file := range []request.Attachment{a.file, spoilt} {
		must(t, (&postgres.Uploads{DB: postgres.On(a.pool), Now: a.Now}).AddChunk(t.Context(), elm, file.ID, 0, content))
	}
	a.id = request.ID{UUID: event.NewID()}
	_, err = a.store.Append(t.Context(), event.Change{Stream: request.StreamOf(elm, a.id), OfPatient: true, Events: request.Submit(request.Submission{
		Patient: a.ann, Type: request.Medical, Requester: request.ByPatient, Attachments: []request.Attachment{a.file, spoilt},
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

// signedIn is a browser of somebody.
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

func TestNothingOfARequestIsShownThatIsNotRecorded_D84(t *testing.T) {
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

// A form that is sent many times at once, as by an impatient hand, does one thing.
func TestOneFormDoesOneThing_D84(t *testing.T) {
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

func TestASpoiltFileBreaksOff_D84(t *testing.T) {
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
	if waitFor(func() bool { return strings.Contains(a.watched.String(), "an attachment broke off") }); strings.Contains(a.watched.String(), fileName) {
		t.Errorf("the log names the file:\n%s", a.watched)
	}
}

// with is a form with other values.
func with(form url.Values, pairs ...string) url.Values {
	sent := maps.Clone(form)
	for n := 0; n < len(pairs); n += 2 {
		sent.Set(pairs[n], pairs[n+1])
	}
	return sent
}

// What nobody may do to a request. Nothing is changed, strangers are shown nothing, and
// what was typed is there again.
func TestRequestsUnderAttack_D84(t *testing.T) {
	t.Parallel()
	a := newPosed(t)
	stranger, err := commands.Desk{Store: a.store}.RegisterPatient(t.Context(), commands.RegisterPatient{Tenant: oak, Name: "Olaf of Oak Lane"})
	must(t, err)
	may, err := a.pages.Desk.Staff.AnyStaffByUsername(t.Context(), elm, "dr.may") // a manager
	must(t, err)
	bob, kim, eve := a.signedIn(t, elm, "bob"), a.signedIn(t, elm, "kim"), a.signedIn(t, oak, "eve")
	form := bob.get(a.page).form(t, a.page)
	elsewhere := strings.Replace(a.page, elm, oak, 1)
	unknown := strings.Replace(a.page, a.id.String(), event.NewID().String(), 1)
	const typed = "what I have typed"
	for name, c := range map[string]struct {
		by     *browser
		path   string
		form   url.Values // nil for a GET
		status int
		says   string
	}{
		"another practice's":            {eve, elsewhere, nil, http.StatusNotFound, "no such request"},
		"another practice's file":       {eve, elsewhere + "/attachments/1", nil, http.StatusNotFound, "no such request"},
		"a move at another practice":    {eve, elsewhere + "/patient", nil, http.StatusNotFound, "no such request"},
		"a deed at another practice":    {eve, elsewhere, with(form, "do", "take"), http.StatusNotFound, "no such request"},
		"a guessed request":             {bob, unknown, nil, http.StatusNotFound, "no such request"},
		"no identifier":                 {bob, "/elm-street/staff/requests/1", nil, http.StatusNotFound, "no such request"},
		"a file that is not there":      {bob, a.page + "/attachments/3", nil, http.StatusNotFound, "no such file"},
		"file 0":                        {bob, a.page + "/attachments/0", nil, http.StatusNotFound, "no such file"},
		"a file by its identifier":      {bob, a.page + "/attachments/" + a.file.ID.String(), nil, http.StatusNotFound, "no such file"},
		"a deed by GET":                 {bob, a.page + "?" + with(form, "do", "take").Encode(), nil, http.StatusOK, annConcern},
		"a deed that there is not":      {bob, a.page, with(form, "do", "erase"), http.StatusBadRequest, "could not read"},
		"somebody else's form":          {kim, a.page, with(form, "do", "note", "text", typed), http.StatusForbidden, typed},
		"a form that has seen nothing":  {bob, a.page, with(form, "do", "note", "text", typed, "seen", ""), http.StatusConflict, typed},
		"a form of the future":          {bob, a.page, with(form, "do", "note", "text", typed, "seen", "99"), http.StatusConflict, typed},
		"given to a manager":            {bob, a.page, with(form, "do", "give", "to", may.String(), "text", typed), http.StatusBadRequest, typed},
		"reopened, though it is open":   {bob, a.page, with(form, "do", "reopen", "text", typed), http.StatusConflict, typed},
		"a note that is too long":       {bob, a.page, with(form, "do", "note", "text", strings.Repeat("x", request.MaxText+1)), http.StatusBadRequest, "at most 10,000"},
		"a move that there is not":      {bob, a.page + "/patient", with(form, "do", "take"), http.StatusBadRequest, "could not read"},
		"a patient of another practice": {bob, a.page + "/patient", with(form, "do", "move", "to", stranger.String(), "text", "why"), http.StatusBadRequest, "Choose one of the patients"},
		"no patient":                    {bob, a.page + "/patient", with(form, "do", "move", "to", "00000000-0000-0000-0000-000000000000", "text", "why"), http.StatusBadRequest, "Choose one of the patients"},
	} {
		method := http.MethodGet
		if c.form != nil {
			method = http.MethodPost
		}
		answer := c.by.do(method, c.path, c.form)
		if answer.wants(t, c.status, "", c.says); c.by == eve && (strings.Contains(answer.body, annName) || strings.Contains(answer.body, annConcern)) {
			t.Errorf("%s: it is shown", name)
		}
	}
	var done int
	must(t, a.pool.QueryRow(t.Context(), `SELECT count(*) FROM events WHERE stream = $1`, a.id).Scan(&done))
	if logged := a.watched.String(); done != 1 || strings.Contains(logged, annName) || strings.Contains(logged, typed) || strings.Contains(logged, fileName) {
		t.Errorf("%d events; the log is\n%s", done, logged)
	}
}

// A record that is closed to somebody hides what was asked, its files, and what colleagues
// wrote; they can still take the request, and give it to somebody who sees more.
func TestAClosedRecordHidesItsRequests_D84(t *testing.T) {
	t.Parallel()
	a := newPosed(t)
	bob := a.signedIn(t, elm, "bob")
	form := with(bob.get(a.page).form(t, a.page), "do", "note", "text", "a colleague’s note")
	bob.post(a.page, form).wants(t, http.StatusSeeOther, a.page+"?done=note", "")
	must(t, a.pages.Desk.RestrictPatientRecord(t.Context(), commands.RestrictPatientRecord{Tenant: elm, Patient: a.ann, Usernames: []string{"dr.lee"}}))
	answer := bob.get(a.page)
	answer.wants(t, http.StatusOK, "", "restricted")
	for _, hidden := range []string{annConcern, fileName, "a colleague’s note"} {
		if strings.Contains(answer.body, hidden) {
			t.Errorf("%q is shown", hidden)
		}
	}
	form = with(answer.form(t, a.page), "do", "note", "text", "a guess", "outcome", string(request.Replied))
	for _, do := range []string{"note", "complete"} {
		bob.post(a.page, with(form, "do", do)).wants(t, http.StatusForbidden, "", "restricted")
	}
	bob.get(a.page+"/attachments/1").wants(t, http.StatusForbidden, "", "restricted")
	bob.post(a.page+"/patient", with(form, "do", "move", "to", event.NewID().String())).wants(t, http.StatusForbidden, "", "restricted")
	bob.post(a.page, with(form, "do", "take", "text", "")).wants(t, http.StatusSeeOther, a.page+"?done=take", "")
	if n := a.appended(t, "attachment.opened.v1"); n != 0 {
		t.Errorf("%d files were opened", n)
	}
}

var rowLink = regexp.MustCompile(`<a href="/elm-street/staff/requests/([0-9a-f-]{36})">`)

// Every request is on exactly one page, and whose names a page shows is one line of the
// access record.
func TestTheInboxIsShownPageByPage_D84(t *testing.T) {
	t.Parallel()
	a := newPosed(t)
	const many = 120
	_, err := a.pool.Exec(t.Context(), `
		INSERT INTO inbox (tenant, request, patient, type, urgent, by_proxy, files, submitted_at)
		SELECT $1, gen_random_uuid(), $2, CASE WHEN n % 2 = 0 THEN 'medical' ELSE 'admin' END, n % 3 = 0, false, n % 4, $3::timestamptz - n * interval '1 minute'
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
	if len(lines) != pages {
		t.Errorf("%d lines of the access record for %d pages", len(lines), pages)
	}
	urgent := bob.get("/elm-street/staff/requests?type=admin&urgent=yes")
	if n := len(rowLink.FindAllString(urgent.body, -1)); n != many/6 {
		t.Errorf("%d are urgent and for the office", n)
	}
	for _, odd := range []string{"?tab=nowhere", "?after=x", "?after=true_1_2", "?type=other"} {
		bob.get("/elm-street/staff/requests"+odd).wants(t, http.StatusOK, "", `aria-current="page">New`)
	}
}

// nextPage is where the list goes on; "" on the last page.
func nextPage(body string) string {
	before, _, more := strings.Cut(body, `">Next page</a>`)
	if !more {
		return ""
	}
	return html.UnescapeString(before[strings.LastIndex(before, `"`)+1:])
}
