//go:build walk

package docs_test

import (
	"fmt"
	"math/rand/v2"
	"net"
	"regexp"
	"strings"
	"testing"
	"time"

	"frontdesk/adapters/clock"
)

// TestWalkIntegratorsPages types the pages into a shell: the first
// command is make run, which starts the sandbox, and the rest belongs to
// another terminal. Ports are others than the pages'.
func TestWalkIntegratorsPages(t *testing.T) {
	t.Parallel()
	var commands []string
	for _, page := range integratorsPages {
		for _, s := range snippets(t, page) {
			commands = append(commands, s.text)
		}
	}
	if len(commands) < 10 || commands[0] != "make run\n" {
		t.Fatalf("the page begins with %q", commands)
	}
	s, err := startSandbox("make run")
	if err != nil {
		t.Fatal(err)
	}
	script := "set -euo pipefail\ntrap 'kill $(jobs -p) 2>/dev/null || true' EXIT\nset -x\n" + strings.Join(commands[1:], "\n")
	for _, port := range []string{"8081", "8443", "8444", "8082"} {
		script = strings.ReplaceAll(script, "127.0.0.1:"+port, freeAddress(t))
	}
	nextYear := clock.System().AddDate(1, 0, 0).UTC().Format(time.RFC3339)
	if script = clockMoved.ReplaceAllString(script, "${1}"+nextYear); !strings.Contains(script, nextYear) {
		t.Error("no page moves the clock to an instant")
	}
	printed := output(t, "", "..", "env", "FRONTDESK_DIR="+s.dir, "bash", "-c", script)
	for _, want := range []string{
		`"mode":"application-restricted"`, `"patientRequestId":"`, "would take this token", "would refuse this token", `"noteId":"`,
		"ahead of real time", "attachment-too-large", "http_5xx", "Called back; feels better.", `"mode":"user-restricted"`, `"event": "record.opened"`,
		"Of the 2 keys in the set, 2 can verify tokens.", "not currently authorised to request as the specified user", "signing-key.retired.v1",
		`"keySetUrl":"`, `"outcome":"read"`, `"event": "ping"`, "event=RecordOpened(patient_id=", "CreatedPatientRequest(patient_request_id=",
		`"consistency":[`, "kept a checkpoint of ",
	} {
		if !strings.Contains(printed, want) {
			t.Errorf("the page's commands never print %s:\n%s", want, printed)
		}
	}
}

// clockMoved is a line that moves the sandbox's clock to an instant, which may be past.
var clockMoved = regexp.MustCompile(`(sandbox clock )\d{4}-\S+`)

// freeAddress returns an address without a listener. Its port is below those of outgoing
// connections, so that none of them takes it before the page does.
func freeAddress(t *testing.T) string {
	t.Helper()
	for {
		address := fmt.Sprintf("127.0.0.1:%d", 20_000+rand.IntN(12_000))
		listener, err := new(net.ListenConfig).Listen(t.Context(), "tcp", address)
		if err != nil {
			continue
		}
		_ = listener.Close()
		return address
	}
}
