package audit_test

import (
	"archive/zip"
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"frontdesk/adapters/httpapi/body"
	"frontdesk/adapters/postgres/postgrestest"
	"frontdesk/adapters/sealing"
	"frontdesk/cmd/frontdesk/app"
	"frontdesk/cmd/frontdesk/cli/clitest"
	"frontdesk/commands"
	"frontdesk/domain/application"
	"frontdesk/domain/event"
	"frontdesk/domain/patient"
	"frontdesk/domain/request"
)

// asker is a practice with a patient, Ann, who makes a subject access request.
type asker struct {
	db        *postgrestest.Database
	ann, bill patient.ID
	content   []byte // of the file that she has sent
}

func newAsker(t *testing.T) *asker {
	t.Helper()
	a := &asker{db: postgrestest.New(t), content: bytes.Repeat([]byte("\x89PNG rash"), 60_000)}
	engine, err := app.Open(t.Context(), app.Config{DatabaseURL: a.db.URL, MasterKeys: sealing.NewRing(clitest.MasterKey)})
	clitest.Must(t, err)
	defer engine.Close()
	ctx, desk := event.WithMetadata(t.Context(), event.Metadata{Actor: event.Operator("frontdesk_app", "tester@desk")}), engine.Desk
	clitest.Must(t, desk.RegisterPractice(ctx, commands.RegisterPractice{Tenant: "elm", Name: "Elm & Street"}))
	clitest.Must(t, desk.RegisterPractice(ctx, commands.RegisterPractice{Tenant: "oak", Name: "Oak Lane"}))
	lee, err := desk.RegisterStaff(ctx, commands.RegisterStaff{Tenant: "elm", Username: "dr.lee", Name: "Dr Lee", Email: "lee@elm.example"})
	clitest.Must(t, err)
	chart, err := desk.RegisterApplication(ctx, commands.RegisterApplication{Name: "Chart", JWKSURL: "https://app.example/jwks.json"})
	clitest.Must(t, err)
	a.ann, err = desk.RegisterPatient(ctx, commands.RegisterPatient{Tenant: "elm", Name: "Ann Archer", BirthDate: "1980-02-29"})
	clitest.Must(t, err)
	a.bill, err = desk.RegisterPatient(ctx, commands.RegisterPatient{Tenant: "elm", Name: "Bill Baxter"})
	clitest.Must(t, err)
	a.treated(event.WithMetadata(ctx, event.Metadata{Actor: event.Staff(lee.UUID).Through(chart.UUID, "user-restricted", nil)}), t, engine)
	clitest.Must(t, engine.Drain(ctx))
	a.told(t, chart)
	return a
}

// treated adds the entries of a member of staff about the patients.
func (a *asker) treated(ctx context.Context, t *testing.T, engine *app.Engine) {
	t.Helper()
	desk := engine.Desk
	_, err := desk.CreateNote(ctx, commands.CreateNote{Tenant: "elm", Patient: a.bill, Text: "His own affair."})
	clitest.Must(t, err)
	_, err = desk.CreateNote(ctx, commands.CreateNote{Tenant: "elm", Patient: a.ann, Text: "A cough, <script>dry</script>.\nNo fever."})
	clitest.Must(t, err)
	wrong, err := desk.CreateNote(ctx, commands.CreateNote{Tenant: "elm", Patient: a.ann, Text: "Allergic to penicillin."})
	clitest.Must(t, err)
	clitest.Must(t, desk.MarkNoteEnteredInError(ctx, commands.MarkNoteEnteredInError{Tenant: "elm", Patient: a.ann, Note: wrong, Reason: "Another record was meant"}))
	clitest.Must(t, desk.ChangePatientDetails(ctx, commands.ChangePatientDetails{Tenant: "elm", Patient: a.ann, Name: "Ann Baker", BirthDate: "1980-02-28"}))
	files := &body.Files{Tenant: "elm", Uploads: engine.Uploads}
	defer func() { clitest.Must(t, files.Close(ctx)) }()
	form, err := files.Read(ctx, strings.NewReader(fmt.Sprintf(`{"patientId":%q,"requestType":"medical","requester":"proxy",
		"proxyDetails":{"firstName":"Bea","lastName":"Archer","relationshipToPatient":"mother"},
		"response":[{"question":"healthConcern","answer":"a rash"}],
		"attachments":[{"fileName":"../rash.png","contentType":"image/png","data":%q}]}`, a.ann, base64.StdEncoding.EncodeToString(a.content))))
	clitest.Must(t, err)
	submission, err := form.PatientRequest(form.Patient())
	clitest.Must(t, err)
	_, err = desk.SubmitPatientRequest(ctx, commands.SubmitPatientRequest{Tenant: "elm", Submission: submission})
	clitest.Must(t, err)
	site, err := desk.AddSite(ctx, commands.AddSite{Tenant: "elm", Name: "Main building"})
	clitest.Must(t, err)
	_, err = desk.BookAppointment(ctx, commands.BookAppointment{Tenant: "elm", Patient: a.ann, Site: site, At: time.Date(2026, 7, 1, 9, 30, 0, 0, time.UTC)})
	clitest.Must(t, err)
}

// told adds a call that named Ann, and a webhook about her.
func (a *asker) told(t *testing.T, chart application.ID) {
	t.Helper()
	for _, statement := range []string{
		`INSERT INTO access_record (request_id, at, tenant, application, mode, endpoint, patient, status, code, reason, token_hash)
			VALUES ('0190c7a2-0000-7000-8000-000000000001', now(), 'elm', $1, 'application-restricted', 'retrieve-care-record', $2, 403, 'unauthorized', 'no', '\x00')`,
		`INSERT INTO deliveries (event, application, idx, tenant, kind, subject, destination, happened_at, not_after, status, finished_at)
			SELECT id, $1, 1, 'elm', 'record.opened', $2, $1, recorded_at, now(), 'delivered', now() FROM events WHERE patient = $2 AND name LIKE 'appointment.%'`,
	} {
		if _, err := a.db.AdminPool(t).Exec(t.Context(), statement, chart, a.ann); err != nil {
			t.Fatal(err)
		}
	}
}

// pack makes the pack as the auditor.
func (a *asker) pack(t *testing.T, file string, args ...string) clitest.Outcome {
	t.Helper()
	return clitest.Frontdesk(t, append([]string{"audit", "subject-pack", "--database-url", clitest.AsRole(t, a.db.URL, "frontdesk_audit"), "--out", file}, args...)...)
}

func (a *asker) anns() []string { return []string{"--tenant=elm", "--patient=" + a.ann.String()} }

// unpacked are the files of a ZIP.
func unpacked(t *testing.T, file string) map[string]string {
	t.Helper()
	archive, err := zip.OpenReader(file)
	clitest.Must(t, err)
	defer archive.Close()
	found := map[string]string{}
	for _, entry := range archive.File {
		content, err := entry.Open()
		clitest.Must(t, err)
		text, err := io.ReadAll(content)
		clitest.Must(t, err)
		found[entry.Name] = string(text)
	}
	return found
}

func TestSubjectPackHoldsAllDataOfOnePatient_D73(t *testing.T) {
	t.Parallel()
	a := newAsker(t)
	file := filepath.Join(t.TempDir(), "ann.zip")
	if o := a.pack(t, file, a.anns()...); o.Status != 0 || !strings.Contains(o.Out, "before you hand it over") {
		t.Fatalf("exit status %d: %s%s", o.Status, o.Out, o.Err)
	}
	if info, err := os.Stat(file); err != nil || info.Mode() != 0o600 {
		t.Errorf("its mode is %v, error %v", info.Mode(), err)
	}
	found := unpacked(t, file)
	var record struct {
		Patient, Notes, Appointments []map[string]any
		PatientRequests              []struct {
			Attachments []struct{ Path, FileName string }
		}
	}
	clitest.Must(t, json.Unmarshal([]byte(found["care-record.json"]), &record))
	if len(record.Patient) != 2 || len(record.Notes) != 2 || len(record.PatientRequests) != 1 || len(record.Appointments) != 1 ||
		record.Notes[0]["enteredInError"] != nil || record.Notes[1]["enteredInError"].(map[string]any)["reason"] != "Another record was meant" {
		t.Errorf("the record is %s", found["care-record.json"])
	}
	sent := record.PatientRequests[0].Attachments[0]
	if found[sent.Path] != string(a.content) || sent.FileName != "../rash.png" || !strings.HasPrefix(sent.Path, "attachments/0") {
		t.Errorf("%d bytes are at %s", len(found[sent.Path]), sent.Path)
	}
	var all struct {
		Events   []struct{ Data map[string]any }
		Accesses []struct{ Kind, Name, Deed string }
		Webhooks []struct{ ApplicationName, Status string }
	}
	for _, name := range []string{"events.json", "accesses.json", "webhooks.json"} {
		clitest.Must(t, json.Unmarshal([]byte(found[name]), &all))
	}
	if len(all.Events) != 7 || len(all.Accesses) != 8 || len(all.Webhooks) != 1 || all.Webhooks[0].ApplicationName != "Chart" ||
		all.Accesses[1].Name != "Dr Lee, through Chart" || all.Accesses[7].Kind != "call" || all.Accesses[7].Name != "Chart" {
		t.Errorf("%s%s%s", found["events.json"], found["accesses.json"], found["webhooks.json"])
	}
	page := found["index.html"]
	for _, text := range []string{
		"What <bdi>Elm &amp; Street</bdi> holds about <bdi>Ann Baker</bdi>", "28 February 1980", "<bdi>Ann Archer</bdi>, born on 29 February 1980",
		"A cough, &lt;script&gt;dry", "Allergic to penicillin.", "Another record was meant", "Bea Archer", "a rash", `href="` + sent.Path, "../rash.png",
		"booked an appointment for 1 July 2026, 10:30 (<bdi>Main building</bdi>)", "refused or failed (403)", "delivered",
	} {
		if !strings.Contains(page, text) {
			t.Errorf("the page does not say %q", text)
		}
	}
	for name, text := range found {
		if strings.Contains(text, "Baxter") || strings.Contains(text, "affair") || strings.Contains(text, a.bill.String()) ||
			strings.Contains(strings.ReplaceAll(text, `"key":"[personal]"`, ""), event.Hidden) {
			t.Errorf("%s tells of somebody else, or hides something", name)
		}
	}
}

// What staff wrote about a request, and why they opened a restricted record, is in the pack.
func TestSubjectPackHoldsWorkOfStaff_D144(t *testing.T) {
	t.Parallel()
	a := newAsker(t)
	engine, err := app.Open(t.Context(), app.Config{DatabaseURL: a.db.URL, MasterKeys: sealing.NewRing(clitest.MasterKey)})
	clitest.Must(t, err)
	defer engine.Close()
	ctx, desk := event.WithMetadata(t.Context(), event.Metadata{Actor: event.Operator("frontdesk_app", "tester@desk")}), engine.Desk
	kim, err := desk.RegisterStaff(ctx, commands.RegisterStaff{Tenant: "elm", Username: "dr.kim", Name: "Dr Kim", Email: "kim@elm.example"})
	clitest.Must(t, err)
	ctx = event.WithMetadata(t.Context(), event.Metadata{Actor: event.Staff(kim.UUID)})
	var id request.ID
	clitest.Must(t, a.db.Pool(t).QueryRow(t.Context(), `SELECT stream FROM events WHERE name = 'patient-request.submitted.v1'`).Scan(&id.UUID))
	clitest.Must(t, desk.NotePatientRequest(ctx, commands.NotePatientRequest{Tenant: "elm", Request: id, Text: "She sounded <worried>."}))
	clitest.Must(t, desk.CompletePatientRequest(ctx, commands.CompletePatientRequest{Tenant: "elm", Request: id, By: kim, Completion: request.Completion{Outcome: request.Signposted, Note: "Told of the pharmacy."}}))
	clitest.Must(t, desk.ReopenPatientRequest(ctx, commands.ReopenPatientRequest{Tenant: "elm", Request: id, By: kim, Reason: "The pharmacy is shut."}))
	clitest.Must(t, desk.RestrictPatientRecord(ctx, commands.RestrictPatientRecord{Tenant: "elm", Patient: a.ann, Usernames: []string{"dr.lee"}}))
	clitest.Must(t, desk.BreakGlass(ctx, commands.BreakGlass{Tenant: "elm", Patient: a.ann, By: kim, Reason: "She collapsed."}))
	clitest.Must(t, engine.Drain(ctx))
	file := filepath.Join(t.TempDir(), "ann.zip")
	if o := a.pack(t, file, a.anns()...); o.Status != 0 {
		t.Fatal(o.Err)
	}
	found := unpacked(t, file)
	for _, text := range []string{
		"<bdi>Dr Kim</bdi> wrote a note about a patient request (sent on", "She sounded &lt;worried&gt;.", "Another service is responsible, and the practice named it",
		"Told of the pharmacy.", "The pharmacy is shut.", "<bdi>Dr Kim</bdi> restricted the record to named staff", "Dr Lee</dd>", "She collapsed.",
	} {
		if !strings.Contains(found["index.html"], text) {
			t.Errorf("the page does not say %q", text)
		}
	}
	var record struct {
		PatientRequestHistory, DataHistory []struct {
			PatientRequestID request.ID
			By               string
			Details          []struct{ Label, Text string }
		}
	}
	clitest.Must(t, json.Unmarshal([]byte(found["care-record.json"]), &record))
	if h := record.PatientRequestHistory; len(h) != 3 || h[2].PatientRequestID != id || h[2].By != "Dr Kim" || h[2].Details[0].Text != "The pharmacy is shut." {
		t.Errorf("the history of requests is %+v", h)
	}
	if h := record.DataHistory; len(h) != 2 || h[1].Details[0].Text != "She collapsed." {
		t.Errorf("the history of the data is %+v", h)
	}
}

func TestASubjectPackIsRecordedBeforeItIsMade_D73(t *testing.T) {
	t.Parallel()
	a := newAsker(t)
	file := filepath.Join(t.TempDir(), "ann.zip")
	if _, err := a.db.AdminPool(t).Exec(t.Context(), `REVOKE SELECT ON upload_chunks FROM frontdesk_audit`); err != nil {
		t.Fatal(err)
	}
	a.pack(t, file, a.anns()...).WantFailure(t, 1, "permission denied")
	if left, err := os.ReadDir(filepath.Dir(file)); err != nil || len(left) != 0 {
		t.Errorf("half of it is left: %v, error %v", left, err)
	}
	var count int
	err := a.db.Pool(t).QueryRow(t.Context(), `SELECT (data::json->>'count')::int FROM events WHERE name = 'audit.queried.v1' AND patient = $1
		AND data::json->>'command' = 'subject-pack' AND (data::json->>'personal')::boolean`, a.ann).Scan(&count)
	if err != nil || count != 9 {
		t.Errorf("it was recorded that %d were read, error %v", count, err)
	}
	if _, err := a.db.AdminPool(t).Exec(t.Context(), `REVOKE EXECUTE ON ALL FUNCTIONS IN SCHEMA public FROM frontdesk_audit`); err != nil {
		t.Fatal(err)
	}
	a.pack(t, file, a.anns()...).WantFailure(t, 1, "nothing is shown")
	if _, err := os.Stat(file); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("it was made, %v", err)
	}
}

func TestASubjectPackIsRefusedWithoutATrace_D73(t *testing.T) {
	t.Parallel()
	a := newAsker(t)
	file := filepath.Join(t.TempDir(), "ann.zip")
	clitest.Must(t, os.WriteFile(file, []byte("mine"), 0o644))
	a.pack(t, file, a.anns()...).WantFailure(t, 1, "is there already")
	if kept, err := os.ReadFile(file); err != nil || string(kept) != "mine" {
		t.Errorf("the file holds %q, error %v", kept, err)
	}
	other := filepath.Join(t.TempDir(), "other.zip")
	a.pack(t, other, "--tenant=oak", "--patient="+a.ann.String()).WantFailure(t, 1, "patient-not-found")
	a.pack(t, other, "--tenant=elm", "--patient=0190c7a2-0000-7000-8000-0000000000ff").WantFailure(t, 1, "patient-not-found")
	a.pack(t, other, "--tenant=elm", "--patient=ann").WantFailure(t, 2, "is not a UUID")
	a.pack(t, other, append(a.anns(), clitest.NoMasterKey)...).WantFailure(t, 1, "--master-key-file")
	a.pack(t, filepath.Join(t.TempDir(), "no", "folder.zip"), a.anns()...).WantFailure(t, 1, "no such file")
	if _, err := os.Stat(other); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("something was made, %v", err)
	}
}

// An altered file is left out of the pack, and the rest is in it.
func TestADamagedFileIsNotInTheSubjectPack_D73(t *testing.T) {
	t.Parallel()
	a := newAsker(t)
	if _, err := a.db.AdminPool(t).Exec(t.Context(), `UPDATE upload_chunks SET data = set_byte(data, 7, 1 - get_byte(data, 7) % 2) WHERE n = 1`); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "ann.zip")
	a.pack(t, file, a.anns()...).WantFailure(t, 1, "the pack is incomplete", "1 files")
	found := unpacked(t, file)
	for name := range found {
		if strings.HasPrefix(name, "attachments/") {
			t.Errorf("it holds %s", name)
		}
	}
	if !strings.Contains(found["care-record.json"], `"damaged":true`) || !strings.Contains(found["index.html"], "Files that are not here: 1.") {
		t.Errorf("it does not say so: %s", found["care-record.json"])
	}
}

// More than is read at once is in the pack in full, in its order.
func TestALongRecordIsInTheSubjectPackInFull_D73(t *testing.T) {
	t.Parallel()
	a := newAsker(t)
	engine, err := app.Open(t.Context(), app.Config{DatabaseURL: a.db.URL, MasterKeys: sealing.NewRing(clitest.MasterKey)})
	clitest.Must(t, err)
	defer engine.Close()
	const notes = 120
	for n := range notes {
		_, err := engine.Desk.CreateNote(t.Context(), commands.CreateNote{Tenant: "elm", Patient: a.ann, Text: fmt.Sprint("Note ", n)})
		clitest.Must(t, err)
	}
	clitest.Must(t, engine.Drain(t.Context()))
	file := filepath.Join(t.TempDir(), "ann.zip")
	if o := a.pack(t, file, a.anns()...); o.Status != 0 {
		t.Fatal(o.Err)
	}
	found := unpacked(t, file)
	var record struct{ Notes []struct{ Note string } }
	clitest.Must(t, json.Unmarshal([]byte(found["care-record.json"]), &record))
	if len(record.Notes) != notes+2 || strings.Count(found["index.html"], ">Note ") != notes {
		t.Fatalf("%d notes are in it", len(record.Notes))
	}
	for n, note := range record.Notes[2:] {
		if note.Note != fmt.Sprint("Note ", n) {
			t.Errorf("note %d is %q", n, note.Note)
		}
	}
}
