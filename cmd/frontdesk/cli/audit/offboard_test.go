package audit_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/uuid"

	"frontdesk/cmd/frontdesk/cli/clitest"
	"frontdesk/domain/access"
	"frontdesk/domain/application"
	"frontdesk/domain/event"
	"frontdesk/domain/patient"
	"frontdesk/domain/proof"
)

// offboard is typed for the practice elm.
func (p *proven) offboard(t *testing.T, dir string, args ...string) clitest.Outcome {
	t.Helper()
	return clitest.Frontdesk(t, append([]string{"practice", "offboard", "--tenant=elm", "--export", dir, "--database-url", p.DB.URL}, args...)...)
}

// newLeaving returns a practice with an authorised application and one call in the access
// record.
func newLeaving(t *testing.T) *proven {
	t.Helper()
	p := newProven(t)
	for _, line := range []string{
		"application enable --tenant=elm --application=" + p.App,
		"application enable --tenant=oak --application=" + p.App,
		"authorisation grant --tenant=elm --username=dr.lee --application=" + p.App,
	} {
		p.Listed(t, line)
	}
	app, err := uuid.Parse(p.App)
	clitest.Must(t, err)
	ann, err := uuid.Parse(p.Ann)
	clitest.Must(t, err)
	record(t, p.DB, access.Call{
		RequestID: event.NewID(), At: callsAt, Tenant: "elm", Application: application.ID{UUID: app}, Mode: application.ApplicationRestricted,
		Endpoint: access.CreateNote, Status: 200, Patient: patient.ID{UUID: ann},
	})
	return p
}

func TestAPracticeIsOffboarded_D107(t *testing.T) {
	t.Parallel()
	p := newLeaving(t)
	dir := filepath.Join(t.TempDir(), "elm")
	p.offboard(t, dir, "--yes").WantFailure(t, 1, "no-checkpoint")
	p.sign(t, elmEvents, "2026-03-02")
	p.offboard(t, dir).WantFailure(t, 1, "No application can call for elm any longer", "--yes")
	p.wantEnabled(t, "elm", "oak")

	// The new events are not signed yet, so the export waits for that; nothing is undone.
	o := p.offboard(t, dir, "--yes", "--wait=0s")
	o.WantFailure(t, 1, "offboarded, but not exported", "not signed yet")
	p.wantEnabled(t, "oak")
	p.sign(t, elmEvents, "2026-03-03")
	p.sign(t, proof.Tree{Tenant: "elm", Kind: proof.Access}, "2026-03-03")
	o = p.offboard(t, dir, "--yes")
	o.WantSuccess(t)
	if !strings.Contains(o.Out, "ended 0 authorisations") || !strings.Contains(o.Out, "nothing is erased") {
		t.Errorf("done already, it says\n%s", o.Out)
	}
	events := clitest.ReadFile(t, filepath.Join(dir, "events.jsonl"))
	for _, want := range []string{"practice.application-disabled.v1", "user-authorisation.revoked.v1", "care-record.note-created.v1"} {
		if !strings.Contains(events, want) {
			t.Errorf("the export lacks %s", want)
		}
	}
	if strings.Contains(events, "Oak Lane") || strings.Contains(events, "a cough") {
		t.Error("the export shows another practice, or personal data")
	}
	for _, name := range []string{"events.jsonl", "calls.jsonl"} {
		p.verify(t, "--in", filepath.Join(dir, name)).WantSuccess(t)
	}
	if info, err := os.Stat(dir); err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("others may read the folder: %v, error %v", info.Mode(), err)
	}
	p.comesBack(t)
}

// wantEnabled fails unless these practices, and no other, have the application enabled.
func (p *proven) wantEnabled(t *testing.T, want ...string) {
	t.Helper()
	var got []string
	for _, tenant := range []string{"elm", "oak"} {
		if p.Listed(t, "application list --json --tenant="+tenant).Out != "" {
			got = append(got, tenant)
		}
	}
	if strings.Join(got, " ") != strings.Join(want, " ") {
		t.Errorf("the application is enabled at %v, want %v", got, want)
	}
}

// comesBack has the practice enable its application again: staff and patients are there as
// they were, and the authorisations are not.
func (p *proven) comesBack(t *testing.T) {
	t.Helper()
	p.Listed(t, "application enable --tenant=elm --application="+p.App)
	p.wantEnabled(t, "elm", "oak")
	if o := p.Listed(t, "authorisation list --tenant=elm --json"); o.Out != "" {
		t.Errorf("what was ended counts again: %s", o.Out)
	}
	if o := p.Listed(t, "staff list --tenant=elm --json"); !strings.Contains(o.Out, "dr.lee") {
		t.Errorf("the staff are %s", o.Out)
	}
}

func TestAPracticeIsOffboardedWithoutASigner_D107(t *testing.T) {
	t.Parallel()
	p := newLeaving(t)
	dir := t.TempDir()
	o := p.offboard(t, dir, "--yes", "--without-proof", "--json")
	o.WantSuccess(t)
	done := clitest.Objects(t, o.Out)[0]
	if done["endedAuthorisations"] != 1.0 || done["waitingWebhooks"] != 0.0 || len(done["disabledApplications"].([]any)) != 1 || len(done["exported"].([]any)) != 1 {
		t.Errorf("it says %s", o.Out)
	}
	if events := clitest.ReadFile(t, filepath.Join(dir, "events.jsonl")); !strings.Contains(events, "user-authorisation.revoked.v1") || !strings.Contains(events, `"kind":"operator"`) {
		t.Errorf("the export is\n%s", events)
	}
	p.offboard(t, dir, "--yes", "--without-proof").WantSuccess(t)
	clitest.Frontdesk(t, "practice", "offboard", "--tenant=ash", "--export", dir, "--yes", "--database-url", p.DB.URL).WantFailure(t, 1, "unknown-practice")
}
