package audit_test

import (
	"crypto/rand"
	"fmt"
	"strings"
	"testing"

	"frontdesk/adapters/postgres/postgrestest"
	"frontdesk/cmd/frontdesk/cli/clitest"
)

func TestVerifyFindsChangedFiles_D138(t *testing.T) {
	t.Parallel()
	db, content := postgrestest.New(t), make([]byte, 600_000)
	_, _ = rand.Read(content)
	id := sentWith(t, db, content)
	auditor := strings.Replace(db.URL, "frontdesk_app", "frontdesk_audit", 1)
	verify := func(more ...string) clitest.Outcome {
		return clitest.Frontdesk(t, append([]string{"audit", "verify", "--database-url", auditor}, more...)...)
	}
	if said := verify(); said.Status != 0 || !strings.Contains(said.Out, "not checked: files that patients have sent: ask for them with --files\n") {
		t.Errorf("without --files it says\n%s%s", said.Out, said.Err)
	}
	if said := verify("--files"); said.Status != 0 || !strings.Contains(said.Out, "\nfiles: 1 compared, 1 of them opened; 0 are gone with their patients\n") {
		t.Errorf("it says\n%s%s", said.Out, said.Err)
	}
	if said := verify("--files", clitest.NoMasterKey); said.Status != 0 || !strings.Contains(said.Out, "\nfiles: 1 compared, 0 of them opened;") ||
		!strings.Contains(said.Out, "not checked: what is in 1 files: they were compared, and not opened; give the master key\n") {
		t.Errorf("without the master key it says\n%s%s", said.Out, said.Err)
	}

	attacker := db.SuperuserPool(t)
	for _, statement := range []string{`CREATE SCHEMA saved`, `CREATE TABLE saved.chunks AS TABLE upload_chunks`} {
		_, err := attacker.Exec(t.Context(), statement)
		clitest.Must(t, err)
	}
	for alter, says := range map[string]string{
		`UPDATE upload_chunks SET data = set_byte(data, 7, get_byte(data, 7) # 1) WHERE n = 2`: "is not what was sent",
		`DELETE FROM upload_chunks WHERE n = 2`:                                                "is not what was sent",
		`DELETE FROM upload_chunks WHERE n = 0`:                                                "is not what was sent",
		`INSERT INTO upload_chunks SELECT tenant, upload, 3, 'more' FROM uploads`:              "is not what was sent",
		`DELETE FROM upload_chunks`:                                                            "is gone, and its patient was not erased",
		`INSERT INTO erasures SELECT tenant, 1, patient, now(), request, request, 1, '' FROM attachments; DELETE FROM upload_chunks`: "is gone, and its patient was not erased",
	} {
		for _, master := range []string{"", clitest.NoMasterKey} {
			_, err := attacker.Exec(t.Context(), `SET session_replication_role = replica; DELETE FROM upload_chunks; DELETE FROM erasures; INSERT INTO upload_chunks SELECT * FROM saved.chunks; `+
				alter+`; RESET session_replication_role`)
			clitest.Must(t, err)
			args := []string{"--files"}
			if master != "" {
				args = append(args, master)
			}
			o := verify(args...)
			o.WantFailure(t, 1, "the stored data differs")
			if want := fmt.Sprintf("DIFFERS: the file %s of idx 3 at elm %s\n", id, says); !strings.Contains(o.Out, want) {
				t.Errorf("%s: it does not say %q:\n%s", alter, want, o.Out)
			}
		}
	}
}
