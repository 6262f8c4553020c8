package audit_test

import (
	"bytes"
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"frontdesk/adapters/postgres/postgrestest"
	"frontdesk/cmd/frontdesk/cli/clitest"
)

// A file goes in with a request and comes out as it was, or not at all.
func TestAnAttachmentIsWrittenBackAsItWasSent(t *testing.T) {
	t.Parallel()
	db, content := postgrestest.New(t), make([]byte, 600_000)
	_, _ = rand.Read(content)
	id := sentWith(t, db, content)

	auditor := strings.Replace(db.URL, "frontdesk_app", "frontdesk_audit", 1)
	show := []string{"audit", "attachment", "--database-url", auditor, id}
	if o := clitest.Frontdesk(t, show...); o.Status != 0 || o.Out != string(content) {
		t.Errorf("exit status %d, %d bytes: %s", o.Status, len(o.Out), o.Err)
	}
	file := filepath.Join(t.TempDir(), "rash.jpg")
	if o := clitest.Frontdesk(t, append(show, "--out", file)...); o.Status != 0 || o.Out != "" {
		t.Errorf("exit status %d, %s%s", o.Status, o.Out, o.Err)
	}
	if got, err := os.ReadFile(file); err != nil || !bytes.Equal(got, content) {
		t.Errorf("%d bytes are in the file, %v", len(got), err)
	}
	clitest.Frontdesk(t, "audit", "attachment", "--database-url", auditor, strings.Replace(id, "-7", "-8", 1)).
		WantFailure(t, 1, "unknown-attachment")

	var seen int // D37
	err := db.Pool(t).QueryRow(t.Context(), `SELECT count(*) FROM events WHERE name = 'audit.queried.v1' AND patient IS NOT NULL`).Scan(&seen)
	if err != nil || seen != 2 {
		t.Errorf("the log says that it was seen %d times, %v", seen, err)
	}
}

func TestAnAttachmentThatWasAlteredIsNotWritten(t *testing.T) {
	t.Parallel()
	for _, alter := range []string{
		`UPDATE upload_chunks SET data = set_byte(data, 7, 1 - get_byte(data, 7) % 2) WHERE n = 2`,
		`DELETE FROM upload_chunks WHERE n = 2`,
		`DELETE FROM upload_chunks WHERE n = 0`,
		`INSERT INTO upload_chunks SELECT tenant, upload, 3, 'more' FROM uploads`,
	} {
		db, content := postgrestest.New(t), make([]byte, 600_000)
		id := sentWith(t, db, content)
		if _, err := db.AdminPool(t).Exec(t.Context(), alter); err != nil {
			t.Fatal(err)
		}
		file := filepath.Join(t.TempDir(), "rash.jpg")
		for _, out := range []string{"-", file} {
			o := clitest.Frontdesk(t, "audit", "attachment", "--database-url", db.URL, "--out", out, id)
			o.WantFailure(t, 1, "not what was sent")
			if o.Out != "" {
				t.Errorf("%s: %d bytes were written", alter, len(o.Out))
			}
		}
		if _, err := os.Stat(file); err == nil {
			t.Errorf("%s: a file was written", alter)
		}
	}
}

// sentWith submits a request with one file, and returns the identifier that
// the log shows for it.
func sentWith(t *testing.T, db *postgrestest.Database, content []byte) string {
	t.Helper()
	run := func(in string, args ...string) string {
		o := clitest.FrontdeskWith(t, in, append(args, "--database-url", db.URL, "--json")...)
		if o.Status != 0 {
			t.Fatalf("%v: %s", args, o.Err)
		}
		return o.Out
	}
	clitest.AsSandbox(t, db)
	run("", "practice", "register", "--tenant=elm", "--name=Elm")
	var made struct{ PatientID string }
	if err := json.Unmarshal([]byte(run("", "patient", "register", "--tenant=elm", "--name=Ann")), &made); err != nil {
		t.Fatal(err)
	}
	run(fmt.Sprintf(`{"patientId":%q,"requestType":"medical","requester":"patient",
		"response":[{"question":"healthConcern","answer":"a rash"}],
		"attachments":[{"fileName":"rash.jpg","contentType":"image/jpeg","data":%q}]}`,
		made.PatientID, base64.StdEncoding.EncodeToString(content)), "request", "submit", "--tenant=elm", "--file=-")

	lines := strings.Split(strings.TrimSpace(run("", "audit", "log")), "\n")
	var last struct {
		Data struct {
			Attachments []struct{ ID, FileName string }
		}
	}
	if err := json.Unmarshal([]byte(lines[len(lines)-1]), &last); err != nil {
		t.Fatal(err)
	}
	if len(last.Data.Attachments) != 1 || last.Data.Attachments[0].FileName == "rash.jpg" {
		t.Fatalf("the log shows %s", lines[len(lines)-1])
	}
	return last.Data.Attachments[0].ID
}

func TestARefusedRequestLeavesNoFile(t *testing.T) {
	t.Parallel()
	db := clitest.AsSandbox(t, postgrestest.New(t))
	o := clitest.FrontdeskWith(t, `{"attachments":[{"fileName":"x","contentType":"image/png","data":"YWJj"}]}`,
		"request", "submit", "--database-url", db.URL, "--tenant=elm", "--file=-")
	o.WantFailure(t, 1, "missing-patient-id", "empty-response")
	var left int
	if err := db.Pool(t).QueryRow(t.Context(), `SELECT count(*) FROM uploads`).Scan(&left); err != nil || left != 0 {
		t.Errorf("%d files are left, %v", left, err)
	}
}
