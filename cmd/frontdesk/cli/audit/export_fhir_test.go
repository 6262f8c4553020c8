package audit_test

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"frontdesk/cmd/frontdesk/cli/clitest"
	"frontdesk/domain/access"
	"frontdesk/domain/application"
	"frontdesk/domain/event"
	"frontdesk/domain/patient"
)

func TestLogAndAccessRecordAreExportedAsFHIR_D82(t *testing.T) {
	t.Parallel()
	c := clitest.NewClinic(t)
	record(t, c.DB, access.Call{RequestID: event.NewID(), At: callsAt, Tenant: "oak", Application: callsApp, Endpoint: access.Ping, Status: 200}, access.Call{
		RequestID: event.NewID(), At: callsAt, Tenant: "elm", Application: callsApp, Mode: application.ApplicationRestricted,
		Endpoint: access.CreateNote, Patient: patient.ID{UUID: uuid.MustParse(c.Ann)}, Status: 403, Reason: "no",
		Act: &event.OnBehalfOf{Practitioner: event.Practitioner{Name: "Dr Zoë"}, Organisation: event.Organisation{Name: "Oak Lane"}, Purpose: "TREAT"},
	})
	const registered, noted = "patient.registered.v1", "care-record.note-created.v1"
	for _, test := range []struct {
		args string
		want []string
	}{
		{"--up-to=13", []string{"AuditEvent C " + registered, "AuditEvent C " + registered, "AuditEvent U patient.record-restricted.v1", "AuditEvent C " + noted}},
		{"--resource=Provenance --patient=" + c.Ann, []string{"Provenance CREATE " + registered, "Provenance CREATE " + noted}},
		{"--event=audit.queried", []string{"AuditEvent R audit.queried.v1"}}, // of the line before
		{"--access", []string{"AuditEvent C create-note", "AuditEvent E ping"}},
		{"--access --tenant=elm --patient=" + c.Ann, []string{"AuditEvent C create-note"}},
		{"--access --tenant=elm --until=2026-03-02T12:00:00Z", nil},
	} {
		lines, manifest := fhir(t, c, strings.Fields(test.args)...)
		var got []string
		for _, o := range clitest.Objects(t, lines) {
			got = append(got, kindOf(o))
		}
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.args, diff)
		}
		if manifest["format"] != "fhir" || manifest["count"] != float64(len(test.want)) || manifest["personal"] != false {
			t.Errorf("%s: the manifest is %v", test.args, manifest)
		}
		for _, secret := range []string{"Archer", "cough", "Zoë"} {
			if strings.Contains(lines, secret) {
				t.Errorf("%s shows %s", test.args, secret)
			}
		}
		if strings.Contains(test.args, "Provenance") {
			c.Drain(t) // that it was read is in the log
		}
	}
	if lines, _ := fhir(t, c, "--access", "--show-personal"); !strings.Contains(lines, "Dr Zoë") {
		t.Errorf("nobody is named: %s", lines)
	}
	readings(t, c, "patient="+c.Ann, "access=true&patient="+c.Ann+"&tenant=elm", "access=true")
}

// readings are the filters of those that are recorded.
func readings(t *testing.T, c *clitest.Clinic, want ...string) {
	t.Helper()
	c.Drain(t)
	var got []string
	for _, o := range clitest.Objects(t, c.Audit(t, "log", "--json", "--event=audit.queried").Out) {
		data := o["data"].(map[string]any)
		got = append(got, data["filter"].(string))
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("recorded (-want +got):\n%s", diff)
	}
}

// kindOf returns the type of a resource and the action that it records.
func kindOf(o map[string]any) string {
	coding := func(of any) map[string]any { return of.([]any)[0].(map[string]any) }
	if o["resourceType"] == "Provenance" {
		codes := o["activity"].(map[string]any)["coding"].([]any)
		return fmt.Sprint("Provenance ", codes[0].(map[string]any)["code"], " ", codes[1].(map[string]any)["code"])
	}
	return fmt.Sprint(o["resourceType"], " ", o["action"], " ", coding(o["subtype"])["code"])
}

// fhir exports, and checks the file by its manifest.
func fhir(t *testing.T, c *clitest.Clinic, args ...string) (lines string, manifest map[string]any) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "elm.ndjson")
	c.Audit(t, append([]string{"export", "--format=fhir", "--out", file}, args...)...)
	data, err := os.ReadFile(file)
	clitest.Must(t, err)
	text, err := os.ReadFile(file + ".manifest.json")
	clitest.Must(t, err)
	manifest = clitest.Objects(t, string(text))[0]
	if sum := sha256.Sum256(data); manifest["sha256"] != hex.EncodeToString(sum[:]) || manifest["file"] != "elm.ndjson" {
		t.Errorf("the manifest is %s", text)
	}
	return string(data), manifest
}

func TestContradictoryExportIsRefused_D82(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "log")
	for args, says := range map[string]string{
		"--access":                                             "fhir-only",
		"--resource=Provenance":                                "fhir-only",
		"--format=fhir --access --up-to=3":                     "events-only",
		"--format=fhir --access --after=3":                     "events-only",
		"--format=fhir --access --event=a":                     "events-only",
		"--format=fhir --access --stream=" + callsAnn.String(): "events-only",
		"--format=fhir --access --resource=Provenance":         "no-provenance",
	} {
		command := append([]string{"audit", "export", "--database-url=postgres://127.0.0.1:1/none", "--out", file}, strings.Fields(args)...)
		clitest.Frontdesk(t, command...).WantFailure(t, 1, says)
	}
}
