package main_test

import (
	"bytes"
	"encoding/hex"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"frontdesk/adapters/postgres/postgrestest"
)

// TestOnboardingByTheLetter_D107 types the lines of docs/operations.md as they stand there.
// Only the folder of the export is another, and no signer runs.
func TestOnboardingByTheLetter_D107(t *testing.T) {
	t.Parallel()
	dir, db := t.TempDir(), postgrestest.New(t)
	declared, err := os.ReadFile("../../docs/operations/practices.yaml")
	if err != nil {
		t.Fatal(err)
	}
	writeFile(t, filepath.Join(dir, "practices.yaml"), string(declared))
	lines := documentedLines(t, "Onboard")
	for old, other := range map[string]string{"/srv/leaving/elm-street": "leaving", "--yes": "--yes --without-proof"} {
		if !strings.Contains(lines, old) {
			t.Errorf("no line says %s", old)
		}
		lines = strings.ReplaceAll(lines, old, other)
	}
	shell := exec.CommandContext(t.Context(), "bash", "-euc", lines)
	shell.Dir = dir
	shell.Env = append(os.Environ(), "PATH="+filepath.Dir(binary(t))+":"+os.Getenv("PATH"),
		"FRONTDESK_DATABASE_URL="+db.URL, "FRONTDESK_MASTER_KEY="+hex.EncodeToString(theMasterKey[:]))
	var out, failed bytes.Buffer
	shell.Stdout, shell.Stderr = &out, &failed
	if err := shell.Run(); err != nil {
		t.Fatalf("%v:\n%s%s", err, &out, &failed)
	}
	at := 0
	for _, says := range []string{
		"would change 2 of 2 documents", "changed 2 of 2 documents", "nothing to change",
		"elm-street  Elm Street Surgery  Europe/London", "Referrals", "Referrals", "sam.taylor  manager", "invited", "USERNAME  APPLICATION", "record.opened",
		"disabled application 0190c7a2-0000-7000-8000-0000000000a1", "exported leaving/events.jsonl",
	} {
		found := strings.Index(out.String()[at:], says)
		if found < 0 {
			t.Fatalf("after %d bytes it does not say %q:\n%s", at, says, &out)
		}
		at += found
	}
	if events, err := os.ReadFile(filepath.Join(dir, "leaving", "events.jsonl")); err != nil || strings.Count(string(events), "\n") < 14 {
		t.Errorf("the export is %s, error %v", events, err)
	}
}
