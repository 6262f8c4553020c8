package cli_test

import (
	"crypto/rand"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/uuid"
	"golang.org/x/mod/sumdb/note"

	"frontdesk/adapters/postgres"
	"frontdesk/domain/proof"
)

// old is a call of 10 March 2019, of which nobody but the archive knows in the end.
const old = "016964e6-2c00-7000-8000-000000000001"

func TestWhatIsOldIsMovedToFilesAndAuditorsAreTold_D72(t *testing.T) {
	t.Parallel()
	c, dir := newClinic(t), t.TempDir()
	for _, statement := range []string{
		`CREATE TABLE access_record_2019_03 PARTITION OF access_record FOR VALUES FROM ('0169368c-f000-0000-0000-000000000000') TO ('0169d632-1400-0000-0000-000000000000')`,
		`UPDATE prover SET idx = 1 << 30 WHERE kind = 2`, // no prover runs here
		`INSERT INTO access_record (request_id, at, tenant, application, mode, endpoint, patient, status, code, reason, token_hash)
			VALUES ('` + old + `', '2019-03-10', 'elm', '` + c.app + `', 'application-restricted', 'create-note', '` + c.ann + `', 200, '', '', '\x00')`,
	} {
		if _, err := c.db.AdminPool(t).Exec(t.Context(), statement); err != nil {
			t.Fatal(err)
		}
	}
	retain := func(more ...string) outcome {
		return frontdesk(t, append([]string{"retain", "--database-url", c.db.AdminURL}, more...)...)
	}
	ahead := retain()
	ahead.wantSuccess(t)
	if !strings.Contains(ahead.out, "access_record: there are partitions up to ") || !strings.Contains(ahead.out, "no --access-retention is set") {
		t.Errorf("it says\n%s", ahead.out)
	}
	retain("--access-retention=2y").wantFailure(t, 1, "--archive")
	retain("--access-retention=2y", "--archive="+dir+"/none").wantFailure(t, 1, "names no folder")
	retain("--access-retention=720h", "--archive="+dir).wantFailure(t, 2, "write 8y or 400d, or never")
	frontdesk(t, "retain", "--database-url", c.auditor, "--access-retention=2y", "--archive="+dir).wantFailure(t, 1, "access_record")
	retain("--access-retention=2y", "--archive="+dir).wantFailure(t, 1, "not-signed-yet")
	if listed := c.audit(t, "calls", "--request="+old); !strings.Contains(listed.out, c.ann) || listed.err != "" {
		t.Errorf("before, the call is listed as\n%s%s", listed.out, listed.err)
	}
	key, own, other := c.signCalls(t)
	moved := retain("--access-retention=2y", "--archive="+dir)
	moved.wantSuccess(t)
	verified := frontdesk(t, "audit", "verify", "--archive", filepath.Join(dir, "access_record_2019_03.jsonl.gz"), "--key", key, "--since", own, "--since", other)
	verified.wantSuccess(t)
	if want := "not compared: other.note, because"; !strings.Contains(verified.out, want) || strings.Contains(verified.out, "own.note") {
		t.Errorf("audit verify says\n%s, want %s, and that alone", verified.out, want)
	}
	if want := "practice elm: numbers 0 to 0 are what was signed: 1 lines, and the hashes of 0"; !strings.Contains(verified.out, want) {
		t.Errorf("audit verify says\n%s, want %s", verified.out, want)
	}
	frontdesk(t, "audit", "verify", "--archive", filepath.Join(dir, "access_record_2019_03.jsonl.gz")).wantFailure(t, 1, "--archive needs --key")
	if want := filepath.Join(dir, "access_record_2019_03.jsonl.gz") + " holds 1 of its lines, all from before 2019-04-01"; !strings.Contains(moved.out, want) {
		t.Errorf("it says\n%s, want %s", moved.out, want)
	}
	for _, asked := range []string{"calls --request=" + old, "who-accessed --tenant=elm --patient=" + c.ann} {
		if listed := c.audit(t, strings.Fields(asked)...); !strings.Contains(listed.err, "not in the database any more: access_record_2019_03 ") || strings.Contains(listed.out, old) {
			t.Errorf("audit %s says %s%s", asked, listed.out, listed.err)
		}
	}
	if listed := c.audit(t, "calls", "--since=2019-05-01T00:00:00Z"); listed.err != "" {
		t.Errorf("of what is not archived audit calls says %s%s", listed.out, listed.err)
	}
	frontdesk(t, "audit", "explain", "--call="+old, "--database-url", c.auditor).wantFailure(t, 1, "archived-call", "access_record_2019_03")
	said := objects(t, c.audit(t, "log", "--json", "--event=audit.archived").out)
	if len(said) != 1 || c.actorOf(t, "audit.archived")["id"] != "frontdesk_owner" {
		t.Errorf("the log says %v", said)
	}
}

// signCalls signs the calls of practice elm. It returns the verifier key, the file of their
// checkpoint, and that of a checkpoint of another log.
func (c *clinic) signCalls(t *testing.T) (key, own, other string) {
	t.Helper()
	private, key, err := note.GenerateKey(rand.Reader, "api.example")
	must(t, err)
	signer, err := note.NewSigner(private)
	must(t, err)
	var edge proof.Edge
	for row, err := range (postgres.AccessRecord{DB: c.db.Pool(t)}).EachOf(t.Context(), "elm", 0) {
		must(t, err)
		edge.Append(row.Hash())
	}
	own, other = filepath.Join(t.TempDir(), "own.note"), filepath.Join(t.TempDir(), "other.note")
	var signed []byte
	for _, file := range []string{other, own} {
		signed, err = proof.Checkpoint{Origin: proof.Origin{Name: "api.example", Log: uuid.New(), Epoch: 1}, Size: edge.Size, Root: edge.Root()}.Sign(signer)
		must(t, err)
		must(t, os.WriteFile(file, signed, 0o600))
	}
	_, err = c.db.AdminPool(t).Exec(t.Context(), `INSERT INTO checkpoints (tenant, kind, epoch, day, size, note, signed_at) VALUES ('elm', 2, 1, now(), $1, $2, now())`, edge.Size, string(signed))
	must(t, err)
	return key, own, other
}
