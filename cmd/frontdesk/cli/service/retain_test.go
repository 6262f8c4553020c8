package service_test

import (
	"crypto/rand"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/uuid"
	"golang.org/x/mod/sumdb/note"

	"frontdesk/adapters/postgres/accesslog"
	"frontdesk/cmd/frontdesk/cli/clitest"
	"frontdesk/domain/proof"
)

// old is a call of 10 March 2019, which only the archive holds in the end.
const old = "016964e6-2c00-7000-8000-000000000001"

func TestOldRowsAreArchivedAndAuditorsWarned_D72(t *testing.T) {
	t.Parallel()
	c, dir := clitest.NewClinic(t), t.TempDir()
	for _, statement := range []string{
		`CREATE TABLE access_record_2019_03 PARTITION OF access_record FOR VALUES FROM ('0169368c-f000-0000-0000-000000000000') TO ('0169d632-1400-0000-0000-000000000000')`,
		`UPDATE prover SET idx = 1 << 30 WHERE kind = 2`, // no prover runs here
		`INSERT INTO access_record (request_id, at, tenant, application, mode, endpoint, patient, status, code, reason, token_hash)
			VALUES ('` + old + `', '2019-03-10', 'elm', '` + c.App + `', 'application-restricted', 'create-note', '` + c.Ann + `', 200, '', '', '\x00')`,
	} {
		if _, err := c.DB.AdminPool(t).Exec(t.Context(), statement); err != nil {
			t.Fatal(err)
		}
	}
	retain := func(more ...string) clitest.Outcome {
		return clitest.Frontdesk(t, append([]string{"retain", "--database-url", c.DB.AdminURL}, more...)...)
	}
	ahead := retain()
	ahead.WantSuccess(t)
	if !strings.Contains(ahead.Out, "access_record: there are partitions up to ") || !strings.Contains(ahead.Out, "no --access-retention is set") {
		t.Errorf("it says\n%s", ahead.Out)
	}
	retain("--access-retention=2y").WantFailure(t, 1, "--archive")
	retain("--access-retention=2y", "--archive="+dir+"/none").WantFailure(t, 1, "names no folder")
	retain("--access-retention=720h", "--archive="+dir).WantFailure(t, 2, "write 8y or 400d, or never")
	clitest.Frontdesk(t, "retain", "--database-url", c.Auditor, "--access-retention=2y", "--archive="+dir).WantFailure(t, 1, "access_record")
	retain("--access-retention=2y", "--archive="+dir).WantFailure(t, 1, "not-signed-yet")
	if listed := c.Audit(t, "calls", "--request="+old); !strings.Contains(listed.Out, c.Ann) || listed.Err != "" {
		t.Errorf("before, the call is listed as\n%s%s", listed.Out, listed.Err)
	}
	key, own, other := signCalls(t, c)
	moved := retain("--access-retention=2y", "--archive="+dir)
	moved.WantSuccess(t)
	verified := clitest.Frontdesk(t, "audit", "verify", "--archive", filepath.Join(dir, "access_record_2019_03.jsonl.gz"), "--key", key, "--since", own, "--since", other)
	verified.WantSuccess(t)
	if want := "not compared: other.note, because"; !strings.Contains(verified.Out, want) || strings.Contains(verified.Out, "own.note") {
		t.Errorf("audit verify says\n%s, want %s, and that alone", verified.Out, want)
	}
	if want := "practice elm: entries 0 to 0 match the signed checkpoint: 1 lines, and 0 that other archives or the database hold"; !strings.Contains(verified.Out, want) {
		t.Errorf("audit verify says\n%s, want %s", verified.Out, want)
	}
	clitest.Frontdesk(t, "audit", "verify", "--archive", filepath.Join(dir, "access_record_2019_03.jsonl.gz")).WantFailure(t, 1, "--archive needs --key")
	if want := filepath.Join(dir, "access_record_2019_03.jsonl.gz") + " holds 1 of its lines, all from before 2019-04-01"; !strings.Contains(moved.Out, want) {
		t.Errorf("it says\n%s, want %s", moved.Out, want)
	}
	for _, asked := range []string{"calls --request=" + old, "who-accessed --tenant=elm --patient=" + c.Ann} {
		if listed := c.Audit(t, strings.Fields(asked)...); !strings.Contains(listed.Err, "no longer in the database: access_record_2019_03 ") || strings.Contains(listed.Out, old) {
			t.Errorf("audit %s says %s%s", asked, listed.Out, listed.Err)
		}
	}
	if listed := c.Audit(t, "calls", "--since=2019-05-01T00:00:00Z"); listed.Err != "" {
		t.Errorf("of what is not archived audit calls says %s%s", listed.Out, listed.Err)
	}
	clitest.Frontdesk(t, "audit", "explain", "--call="+old, "--database-url", c.Auditor).WantFailure(t, 1, "archived-call", "access_record_2019_03")
	said := clitest.Objects(t, c.Audit(t, "log", "--json", "--event=audit.archived").Out)
	if len(said) != 1 || c.ActorOf(t, "audit.archived")["id"] != "frontdesk_owner" {
		t.Errorf("the log says %v", said)
	}
}

// signCalls signs the calls of practice elm. It returns the verifier key, the file of their
// checkpoint, and that of a checkpoint of another log.
func signCalls(t *testing.T, c *clitest.Clinic) (key, own, other string) {
	t.Helper()
	private, key, err := note.GenerateKey(rand.Reader, "api.example")
	clitest.Must(t, err)
	signer, err := note.NewSigner(private)
	clitest.Must(t, err)
	var edge proof.Edge
	for row, err := range (accesslog.Record{DB: c.DB.Pool(t)}).EachOf(t.Context(), "elm", 0) {
		clitest.Must(t, err)
		edge.Append(row.Hash())
	}
	own, other = filepath.Join(t.TempDir(), "own.note"), filepath.Join(t.TempDir(), "other.note")
	var signed []byte
	for _, file := range []string{other, own} {
		signed, err = proof.Checkpoint{Origin: proof.Origin{Name: "api.example", Log: uuid.New(), Epoch: 1}, Size: edge.Size, Root: edge.Root()}.Sign(signer)
		clitest.Must(t, err)
		clitest.Must(t, os.WriteFile(file, signed, 0o600))
	}
	_, err = c.DB.AdminPool(t).Exec(t.Context(), `INSERT INTO checkpoints (tenant, kind, epoch, day, size, note, signed_at) VALUES ('elm', 2, 1, now(), $1, $2, now())`, edge.Size, string(signed))
	clitest.Must(t, err)
	return key, own, other
}
