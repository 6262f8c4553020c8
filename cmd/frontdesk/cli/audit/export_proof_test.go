package audit_test

import (
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

// linesOf is an export of one log, by lines, and its manifest.
func (p *proven) linesOf(t *testing.T, name string, args ...string) (lines []map[string]any, manifest map[string]any) {
	t.Helper()
	p.Audit(t, append([]string{"export", "--proof", "--out", p.file(name)}, args...)...)
	if o := p.verify(t, "--in", p.file(name)); o.Status != 0 {
		t.Errorf("%s is not sound: %s%s", name, o.Out, o.Err)
	}
	return clitest.Objects(t, clitest.ReadFile(t, p.file(name))), clitest.Objects(t, clitest.ReadFile(t, p.file(name)+".manifest.json"))[0]
}

// Personal data is shown on request, next to the proven data, and the request is
// recorded. The queries of auditors are in the log of no practice, and are shown only on
// request.
func TestProvenExportShowsPersonalDataOnRequest_D79(t *testing.T) {
	t.Parallel()
	p := newProven(t)
	p.Audit(t, "log", "--show-personal", "--event=staff.registered") // a reading of all practices
	p.Drain(t)
	call := access.Call{
		RequestID: event.NewID(), At: callsAt, Tenant: "elm", Application: callsApp, Mode: application.ApplicationRestricted,
		Endpoint: access.CreateNote, Status: 403, Code: "consent-missing", Reason: "The patient has not agreed.", Patient: patient.ID{UUID: uuid.MustParse(p.Ann)},
	}
	record(t, p.DB, call)
	elmCalls, system := proof.Tree{Tenant: "elm", Kind: proof.Access}, proof.Tree{Kind: proof.Events}
	for _, of := range []proof.Tree{elmEvents, elmCalls, system} {
		p.sign(t, of, "2026-03-02")
	}
	lines, _ := p.linesOf(t, "opened", "--tenant=elm", "--patient", p.Ann, "--show-personal", "--without-metadata")
	shown := 0
	for _, line := range lines {
		if line["idx"] == nil {
			continue
		}
		shown++
		if line["patient"] != p.Ann || line["metadata"] != nil || strings.Contains(line["data"].(string), "Archer") {
			t.Errorf("a line is %v", line)
		}
	}
	if text := clitest.ReadFile(t, p.file("opened")); shown != 2 || !strings.Contains(text, `"opened":"{\"patient\"`) || !strings.Contains(text, "Ann Archer") {
		t.Errorf("%d lines are shown:\n%s", shown, text)
	}
	p.Drain(t)
	read := clitest.Objects(t, p.Audit(t, "log", "--json", "--event=audit.queried", "--tenant=elm").Out)
	if data := read[len(read)-1]["data"].(map[string]any); data["command"] != "export" || data["count"] != 2.0 || !strings.Contains(data["filter"].(string), "proof=true") {
		t.Errorf("the reading is recorded as %v", data)
	}

	if lines, _ := p.linesOf(t, "system", "--system"); strings.Contains(clitest.ReadFile(t, p.file("system")), "audit.queried") || len(lines) < 3 {
		t.Errorf("without asking, the log of no practice shows %v", lines)
	}
	if p.linesOf(t, "readings", "--system", "--readings"); !strings.Contains(clitest.ReadFile(t, p.file("readings")), "audit.queried") {
		t.Error("a reading is not shown to those who ask")
	}
	calls, manifest := p.linesOf(t, "calls", "--tenant=elm", "--access")
	if len(calls) != 1 || calls[0]["requestId"] != call.RequestID.String() || calls[0]["reason"] != call.Reason || manifest["proof"].(map[string]any)["kind"] != "access" {
		t.Errorf("the calls are %v, %v", calls, manifest)
	}
	if calls, _ = p.linesOf(t, "others", "--tenant=elm", "--access", "--patient", p.Bob); len(calls) != 1 || calls[0]["leaf"] == nil {
		t.Errorf("of a call about somebody else this is shown: %v", calls)
	}
	one := p.keep(t, "call.tlog-proof", p.Audit(t, "prove", "--tenant=elm", "--access", "--idx=1").Out)
	if o := p.verify(t, "--in", one, "--json"); o.Status != 0 || !strings.Contains(o.Out, `"sound":true`) || !strings.Contains(o.Out, "the call "+call.RequestID.String()) {
		t.Errorf("a call is proved so: %s%s", o.Out, o.Err)
	}
}

// Names are hidden in an export, and the manifest binds their hashes all the same.
func TestManifestBindsHiddenNames_D79(t *testing.T) {
	t.Parallel()
	p := newProven(t)
	p.sign(t, elmEvents, "2026-03-02")
	plain := func() (text, stored string) {
		p.Audit(t, "export", "--tenant=elm", "--up-to=13", "--out", p.file("plain"))
		return clitest.ReadFile(t, p.file("plain")), clitest.Objects(t, clitest.ReadFile(t, p.file("plain.manifest.json")))[0]["stored"].(string)
	}
	text, stored := plain()
	if again, same := plain(); again != text || same != stored {
		t.Error("two exports of one range differ")
	}
	_, manifest := p.linesOf(t, "before", "--tenant=elm")
	if manifest["stored"] != manifest["proof"].(map[string]any)["root"] {
		t.Errorf("the manifest is %v", manifest)
	}
	pool := p.DB.SuperuserPool(t)
	for _, do := range []string{
		`SET session_replication_role = replica`,
		`UPDATE events SET sealed = set_byte(sealed, length(sealed) - 1, 255 - get_byte(sealed, length(sealed) - 1)) WHERE name = 'care-record.note-created.v1'`,
	} {
		_, err := pool.Exec(t.Context(), do)
		clitest.Must(t, err)
	}
	if edited, other := plain(); edited != text || other == stored {
		t.Error("what is sealed was changed, and the manifest does not tell")
	}
	at := "--database-url=" + p.Auditor
	clitest.Frontdesk(t, "audit", "export", "--tenant=elm", "--proof", "--out", p.file("after"), at).WantFailure(t, 1, "not-as-signed")
	clitest.Frontdesk(t, "audit", "verify", "--in", p.file("after"), "--key", p.key).WantFailure(t, 1, "altered")
}
