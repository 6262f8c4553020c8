package integrate_test

import (
	"context"
	"encoding/json"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"frontdesk.example/client"
	"frontdesk/adapters/clock"
	"frontdesk/adapters/webhooks/receiver"
	"frontdesk/cmd/frontdesk/cli/clitest"
)

// freePort returns a loopback address on which nothing listens yet.
func freePort(t *testing.T) string {
	t.Helper()
	listener, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	return listener.Addr().String()
}

// ownReceiver receives as `webhook listen` does, with keys of an address.
func ownReceiver(t *testing.T, keys string) (dir string, server *receiver.Server) {
	t.Helper()
	dir = t.TempDir()
	authority, err := receiver.OpenAuthority(dir, clock.System())
	if err != nil {
		t.Fatal(err)
	}
	verifier, err := client.NewVerifier(client.VerifierOptions{JWKSURL: "http://" + keys + "/transactional-api/jwks", Now: clock.System})
	if err != nil {
		t.Fatal(err)
	}
	handler := receiver.Handler{
		Verifier: verifier,
		Received: func(context.Context, receiver.Webhook) error { return nil },
	}
	server, err = receiver.Listen(t.Context(), "127.0.0.1:0", authority, handler, clock.System())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(server.Close)
	return dir, server
}

func TestOurOwnReceiverPassesTheChecks_D100(t *testing.T) {
	t.Parallel()
	keys := freePort(t)
	dir, server := ownReceiver(t, keys)
	o := clitest.Frontdesk(t, "integrator", "check-receiver", "--dir="+dir, "--listen="+keys, server.URL())
	if o.Status != 0 || strings.Contains(o.Out, "FAIL") || strings.Count(o.Out, "pass  ") < 16 {
		t.Errorf("%d: %s\n%s", o.Status, o.Err, o.Out)
	}
	if !strings.Contains(o.Err, "http://"+keys+"/transactional-api/jwks") {
		t.Errorf("it does not say where the keys are: %s", o.Err)
	}
}

func TestFailingReceiverIsReported_D100(t *testing.T) {
	t.Parallel()
	dir, server := ownReceiver(t, freePort(t)) // whose keys are elsewhere
	o := clitest.Frontdesk(t, "integrator", "check-receiver", "--json", "--dir="+dir, "--listen="+freePort(t), "--limit=2s", server.URL())
	if o.Status != 1 || !strings.Contains(o.Err, "the receiver did not pass") {
		t.Errorf("%d: %s", o.Status, o.Err)
	}
	var result struct {
		Name, Why string
		Passed    bool
	}
	line, _, _ := strings.Cut(o.Out, "\n")
	if err := json.Unmarshal([]byte(line), &result); err != nil || result.Name != "right" || result.Passed || !strings.Contains(result.Why, "let it take them from") {
		t.Errorf("%+v, %v: %s", result, err, o.Out)
	}
	clitest.Frontdesk(t, "integrator", "check-receiver", "ftp://x").WantFailure(t, 1, "no address of a receiver")
	clitest.Frontdesk(t, "integrator", "check-receiver", "--listen=0.0.0.0:0", server.URL()).WantFailure(t, 1, "this machine alone")
}

// A client that is made of the command line's own parts and curl: it neither tries again
// nor sends a key.
func TestAClientIsTriedOut_D100(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	set := filepath.Join(dir, "jwks.json")
	if err := os.WriteFile(set, []byte(`{"keys":[]}`), 0o600); err != nil {
		t.Fatal(err)
	}
	o := clitest.Frontdesk(t, "integrator", "check-client", "--jwks="+set, "--listen="+freePort(t), "--limit=20s", "--",
		"curl", "-sS", "--fail", "-H", "Content-Type: application/json", "-d", "{}", "--url-query", "x=y", "http://127.0.0.1:1/")
	if o.Status != 1 || !strings.Contains(o.Out, "FAIL  call         §5.1") || !strings.Contains(o.Out, "no call arrived: let it call the address in BASE_URL") {
		t.Errorf("%d: %s\n%s", o.Status, o.Err, o.Out)
	}
	clitest.Frontdesk(t, "integrator", "check-client", "--jwks="+set, "--listen="+freePort(t), "--", "/no/such/client").WantFailure(t, 1, "did not pass")
	clitest.Frontdesk(t, "integrator", "check-client", "--jwks="+set, "--").WantFailure(t, 1, "after --")
}
