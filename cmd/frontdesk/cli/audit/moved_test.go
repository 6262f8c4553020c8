package audit_test

import (
	"path/filepath"
	"strings"
	"testing"

	"frontdesk/adapters/sealing"
	"frontdesk/cmd/frontdesk/app"
	"frontdesk/cmd/frontdesk/cli/clitest"
	"frontdesk/commands"
	"frontdesk/domain/event"
	"frontdesk/domain/request"
)

// The pack of whose request it was taken to be lists it by identifier and date alone. That
// of whose it is has all of it, also from before.
func TestARequestThatHasMovedIsInOnePackAlone_D83(t *testing.T) {
	t.Parallel()
	a := newAsker(t)
	engine, err := app.Open(t.Context(), app.Config{DatabaseURL: a.db.URL, MasterKeys: sealing.NewRing(clitest.MasterKey)})
	clitest.Must(t, err)
	defer engine.Close()
	ctx, desk := event.WithMetadata(t.Context(), event.Metadata{Actor: event.Operator("frontdesk_app", "tester@desk")}), engine.Desk
	var id request.ID
	clitest.Must(t, a.db.Pool(t).QueryRow(ctx, `SELECT stream FROM events WHERE name = 'patient-request.submitted.v1' AND patient = $1`, a.ann).Scan(&id))
	if who, err := desk.OpenPatientRequest(ctx, commands.OpenPatientRequest{Tenant: "elm", Request: id}); err != nil || who != a.ann {
		t.Fatalf("opened of %s, %v", who, err)
	}
	clitest.Must(t, desk.NotePatientRequest(ctx, commands.NotePatientRequest{Tenant: "elm", Request: id, Text: "Rang his mother."}))
	clitest.Must(t, desk.ReLinkPatientRequest(ctx, commands.ReLinkPatientRequest{Tenant: "elm", Request: id, From: a.ann, To: a.bill, Reason: "Bill's rash."}))
	clitest.Must(t, desk.NotePatientRequest(ctx, commands.NotePatientRequest{Tenant: "elm", Request: id, Text: "Sent a cream."}))
	clitest.Must(t, engine.Drain(ctx))

	folder := t.TempDir()
	for who, flags := range map[string][]string{"ann": a.anns(), "bill": {"--tenant=elm", "--patient=" + a.bill.String()}} {
		if o := a.pack(t, filepath.Join(folder, who), flags...); o.Status != 0 {
			t.Fatalf("%s: %s", who, o.Err)
		}
	}
	anns, bills := unpacked(t, filepath.Join(folder, "ann")), unpacked(t, filepath.Join(folder, "bill"))
	for name, text := range anns {
		for _, his := range []string{"a rash", "Bea Archer", "../rash.png", "Rang his mother", "Bill", "Sent a cream", a.bill.String()} {
			if strings.Contains(text, his) || strings.HasPrefix(name, "attachments/") {
				t.Errorf("Ann's %s says %q", name, his)
			}
		}
	}
	if !strings.Contains(anns["care-record.json"], `"patientRequestsOfOthers": [`+"\n"+`{"patientRequestId":"`+id.String()+`","submittedAt":"`) ||
		!strings.Contains(anns["index.html"], "<code>"+id.String()+"</code>) was filed under your name by mistake") {
		t.Errorf("Ann's pack does not list it: %s", anns["care-record.json"])
	}
	for name, text := range map[string]string{
		"care-record.json": `"answer":"a rash"`, "events.json": "Rang his mother.", "index.html": "Bea Archer", "accesses.json": "wrote a note about a patient request",
	} {
		if !strings.Contains(bills[name], text) {
			t.Errorf("Bill's %s does not say %q", name, text)
		}
	}
	if !strings.Contains(bills["events.json"], "Sent a cream.") || !strings.Contains(bills["events.json"], "Bill's rash.") || len(bills) != len(anns)+1 {
		t.Errorf("Bill's pack has %d parts, and of the events %s", len(bills), bills["events.json"])
	}
}
