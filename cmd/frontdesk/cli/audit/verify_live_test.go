package audit_test

import (
	"crypto/rand"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/mod/sumdb/note"

	"frontdesk/adapters/background"
	"frontdesk/adapters/postgres"
	"frontdesk/adapters/postgres/accesslog"
	"frontdesk/adapters/postgres/proving"
	"frontdesk/cmd/frontdesk/cli/clitest"
	"frontdesk/domain/proof"
)

// auditSalt is the salt of the logs that keep signs.
var auditSalt = proof.Salt{5}

// keep proves the clinic's log, publishes a checkpoint of Elm Street and keeps it in a file.
func keep(t *testing.T, c *clitest.Clinic) (vkey, file string) {
	t.Helper()
	pool := c.DB.Pool(t)
	_, err := proving.NewProver(pool, &background.Broadcast{}, slog.New(slog.DiscardHandler)).Prove(t.Context())
	clitest.Must(t, err)
	private, vkey, err := note.GenerateKey(rand.Reader, "api.example")
	clitest.Must(t, err)
	key, err := note.NewSigner(private)
	clitest.Must(t, err)
	elm, trees := proof.Tree{Tenant: "elm", Kind: proof.Events}, proving.Trees{DB: pool}
	size, err := trees.Size(t.Context(), elm)
	clitest.Must(t, err)
	root, err := trees.Root(t.Context(), elm, size)
	clitest.Must(t, err)
	signed, err := proof.Checkpoint{Origin: proof.Origin{Name: "api.example", Log: auditSalt.Log(elm), Epoch: 1}, Size: size, Root: root}.Sign(key)
	clitest.Must(t, err)
	clitest.Must(t, accesslog.Checkpoints{DB: postgres.On(c.DB.SuperuserPool(t))}.Publish(t.Context(), []accesslog.Checkpoint{{Tree: elm, Epoch: 1, Size: size, Note: string(signed)}}))
	file = filepath.Join(t.TempDir(), "kept.note")
	clitest.Must(t, os.WriteFile(file, signed, 0o600))
	return vkey, file
}

func TestAnAuditorVerifiesADatabase_D81(t *testing.T) {
	t.Parallel()
	c := clitest.NewClinic(t)
	vkey, kept := keep(t, c)
	said := c.Audit(t, "verify", "--key", vkey, "--since", kept).Out
	for _, want := range []string{
		"events: 13 up to idx 13, in 3 trees; 4 are behind the newest checkpoint of their tree\n", "checkpoints that hold: 1 published, 1 kept\n", "boxes: ", " decrypt, 0 belong to erased persons, 0 have lost",
		"not checked: hashes of passwords", "not checked: read models", "\nnothing differs\n",
	} {
		if !strings.Contains(said, want) {
			t.Errorf("it does not say %q:\n%s", want, said)
		}
	}
	if said = c.Audit(t, "verify", clitest.NoMasterKey).Out; !strings.Contains(said, "not checked: whose the published checkpoints are") || !strings.Contains(said, "not checked: whether boxes open") {
		t.Errorf("without keys it says\n%s", said)
	}
	clitest.Frontdesk(t, "audit", "verify", "--read-models", "--database-url", c.Auditor).WantFailure(t, 1, "permission denied")
	clitest.Frontdesk(t, "audit", "verify", "--since", kept, "--database-url", c.Auditor).WantFailure(t, 1, "--key")
	clitest.Frontdesk(t, "audit", "verify", "--key", vkey, "--since", kept+".other", "--database-url", c.Auditor).WantFailure(t, 1, "no such file")
	for _, args := range [][]string{{"--key", "nonsense"}, {"--key", vkey, "--witnesses=1"}} {
		clitest.Frontdesk(t, append([]string{"audit", "verify", "--database-url", c.Auditor}, args...)...).WantFailure(t, 1, "invalid-keys")
	}
	wantCaught(t, c, vkey, kept)
}

// wantCaught changes events that a checkpoint covers, and wants the change to be found.
func wantCaught(t *testing.T, c *clitest.Clinic, vkey, kept string) {
	t.Helper()
	attacker, err := postgres.NewPool(t.Context(), c.DB.SuperuserURL+"&session_replication_role=replica", 0)
	clitest.Must(t, err)
	defer attacker.Close()
	for _, statement := range []string{
		`UPDATE events SET data = data || ' ' WHERE name = 'care-record.note-created.v1'`,
		`DELETE FROM personal_keys WHERE kind = 1 AND holder = '` + c.Bob + `'`,
		`DELETE FROM patients WHERE patient = '` + c.Bob + `'`,
	} {
		_, err := attacker.Exec(t.Context(), statement)
		clitest.Must(t, err)
	}
	o := clitest.Frontdesk(t, "audit", "verify", "--read-models", "--files", "--deliveries", "--key", vkey, "--salt", auditSalt.String(), "--since", kept, "--database-url", c.DB.AdminURL)
	o.WantFailure(t, 1, "the stored data differs")
	if strings.Count(o.Out, "not checked") != 1 || !strings.Contains(o.Out, "not checked: sessions, ") {
		t.Errorf("as the owner it says\n%s", o.Out)
	}
	for _, want := range []string{"of the tree of elm (events), idx", "at size 9 is not what kept.note says", "the key is lost", "table patients lacks 1 rows"} {
		if !strings.Contains(o.Out, "DIFFERS: ") || !strings.Contains(o.Out, want) {
			t.Errorf("it does not say %q:\n%s", want, o.Out)
		}
	}
	o = clitest.Frontdesk(t, "audit", "verify", "--json", "--key", vkey, "--since", kept, "--database-url", c.Auditor)
	o.WantFailure(t, 1, "the stored data differs")
	var checks []string
	for _, f := range clitest.Objects(t, o.Out)[0]["found"].([]any) {
		checks = append(checks, f.(map[string]any)["check"].(string))
	}
	slices.Sort(checks)
	if want := []string{"box", "checkpoint", "kept", "tree"}; !slices.Equal(checks, want) {
		t.Errorf("found %v, want %v: %s", checks, want, o.Out)
	}
}
