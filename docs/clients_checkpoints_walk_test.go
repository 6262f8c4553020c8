//go:build walk

package docs_test

import (
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// signing is a sandbox whose logs are signed. It is one of its own, because the auditors' page
// starts a signer of the shared one.
const signing = `{
	.frontdesk/bin/frontdesk sandbox &
	until test -f "$FRONTDESK_DIR/sandbox.json"; do sleep 0.2; done
	mkdir -m 700 "$FRONTDESK_DIR/signer"
	.frontdesk/bin/frontdesk key make-log --name sandbox.example --out "$FRONTDESK_DIR/log.key" > "$FRONTDESK_DIR/log.vkey"
	.frontdesk/bin/frontdesk sign --every 1s --log-key-file "$FRONTDESK_DIR/log.key" --state "$FRONTDESK_DIR/signer" \
		--database-url "$(sed -n 's,^ *"databaseURL": "postgres://[^@]*@\(.*\)".*,postgres://frontdesk_signer@\1,p' "$FRONTDESK_DIR/sandbox.json")"
	wait
}`

var theSignedSandbox = sync.OnceValues(func() (*sandbox, error) {
	if _, err := theSandbox(); err != nil { // which builds the program
		return nil, err
	}
	return startSandbox(signing)
})

// aSignedSandbox is the shared one, once its practice has a checkpoint, with the verifier key.
func aSignedSandbox(t *testing.T) (s *sandbox, info sandboxInfo, key string) {
	t.Helper()
	s, err := theSignedSandbox()
	if err != nil {
		t.Fatal(err)
	}
	s.read(t, &info)
	program, err := filepath.Abs("../.frontdesk/bin/frontdesk")
	if err != nil {
		t.Fatal(err)
	}
	eventually(t, func() bool {
		_, err := tryOutput(t.Context(), "", ".", program, "audit", "checkpoint", "--tenant", info.TenantID, "--database-url", info.DatabaseURL)
		return err == nil
	})
	text, err := os.ReadFile(filepath.Join(s.dir, "log.vkey"))
	if err != nil {
		t.Fatal(err)
	}
	return s, info, strings.TrimSpace(string(text))
}

// Each client keeps a checkpoint of a log that grows, and refuses one of another key, or of a log
// that is not the one it has kept.
func TestWalkClientsKeepCheckpoint_D140(t *testing.T) {
	t.Parallel()
	s, info, key := aSignedSandbox(t)
	inEveryLanguage(t, func(t *testing.T, c clientPackage) {
		d := info.caller(t, c, info.APIURL)
		file := filepath.Join(t.TempDir(), "practice.note")
		keep := order{Do: "keep-checkpoint", Input: fields{"key": key, "file": file}}
		first := d.must(keep).OK["size"].(float64)
		s.aPatient(t, info) // an event
		eventually(t, func() bool { return d.must(keep).OK["size"].(float64) > first })
		kept, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		stranger := d.do(order{Do: "keep-checkpoint", Input: fields{"key": strangersLogKey, "file": file}})
		if stranger.Error == nil || !strings.Contains(stranger.Error.Message, "unsigned") {
			t.Errorf("with another key: %+v", stranger.Error)
		}
		if now, err := os.ReadFile(file); err != nil || string(now) != string(kept) {
			t.Errorf("kept is %s, %v", now, err)
		}
	})
}

// strangersLogKey is a verifier key that has signed nothing here.
var strangersLogKey = newNoteKey("sandbox.example", 9).verifier
