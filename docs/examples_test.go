package docs_test

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"frontdesk/adapters/bearer/bearertest"
)

const python = "/usr/bin/python3" // Debian's, which has Debian's packages

// client is an example in one language: what to say to have it submit a request
// or verify a webhook.
type client struct {
	dir            string
	submit, verify []string
}

func pythonClient(t *testing.T) client {
	t.Helper()
	if _, err := tryOutput(t.Context(), "", ".", python, "-c", "import jwt, cryptography"); err != nil {
		t.Fatal("The Python example needs Debian's python3-jwt and python3-cryptography; \"make deps\" installs them.")
	}
	return client{"examples/python", []string{python, "submit_request.py"}, []string{python, "verify_webhook.py"}}
}

func typescriptClient(t *testing.T) client {
	t.Helper()
	dir, err := theTypescript()
	if err != nil {
		t.Fatal("The TypeScript example needs Node.js 18 or newer with npm; \"make deps\" installs them. ", err)
	}
	tsx := filepath.Join(dir, "node_modules", ".bin", "tsx")
	return client{dir, []string{tsx, "submit-request.ts"}, []string{tsx, "verify-webhook.ts"}}
}

// theTypescript is a folder with the example and what it needs.
var theTypescript = npm("examples/typescript")

func goClient(t *testing.T) client {
	t.Helper()
	file := filepath.Join(t.TempDir(), "verify_webhook")
	output(t, "", ".", "go", "build", "-o", file, "./examples/go")
	return client{dir: ".", verify: []string{file}}
}

func (c client) run(t *testing.T, in string, command []string, arguments ...string) (string, error) {
	t.Helper()
	all := append(append([]string{}, command[1:]...), arguments...)
	return tryOutput(t.Context(), in, c.dir, command[0], all...)
}

func TestExampleInPython(t *testing.T) {
	t.Parallel()
	c := pythonClient(t)
	submits(t, c)
	verifies(t, c)
}

func TestExampleInTypeScript(t *testing.T) {
	t.Parallel()
	c := typescriptClient(t)
	submits(t, c)
	verifies(t, c)
}

func TestExampleInGo(t *testing.T) {
	t.Parallel()
	verifies(t, goClient(t))
}

// submits has a client submit a request with nothing but sandbox.json; and
// shows that it tells of a refusal.
func submits(t *testing.T, c client) {
	t.Helper()
	s, err := theSandbox()
	if err != nil {
		t.Fatal(err)
	}
	printed, err := c.run(t, "", c.submit, s.info())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := uuid.Parse(strings.TrimSpace(printed)); err != nil {
		t.Errorf("it printed %q: %v", printed, err)
	}
	var info map[string]any
	s.read(t, &info)
	info["patients"] = []any{map[string]any{"id": uuid.NewString()}}
	changed, err := json.Marshal(info)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.run(t, "", c.submit, writeFile(t, "sandbox.json", string(changed))); err == nil || !strings.Contains(err.Error(), "patient-not-found") {
		t.Errorf("of a refusal it says %v", err)
	}
}

// verifies has a client judge webhooks that are sound or just not.
func verifies(t *testing.T, c client) {
	t.Helper()
	url := newPublisher(t).publish(string(service.JWKS()))
	expired := func(_, claims map[string]any) {
		claims["iat"], claims["exp"] = time.Now().Unix()-61, time.Now().Unix()-1
	}
	fresh := func(edits ...bearertest.Edit) string { return webhook(append([]bearertest.Edit{freshly}, edits...)...) }
	printed, err := c.run(t, fresh()+"\n", c.verify, url)
	var claims struct{ Event, TenantID string }
	if err == nil {
		err = json.Unmarshal([]byte(printed), &claims)
	}
	if err != nil || claims.Event != "record.opened" || claims.TenantID != "elm-street" {
		t.Errorf("it makes %q of a webhook: %v", printed, err)
	}
	for name, body := range map[string]string{
		"expired": webhook(expired), "another sender": fresh(claim("iss", "frontdesk")),
		"a strange key": fresh(head("kid", "other-key")), "alg none": unsigned(), "an HMAC": confused(),
		"changed": fresh()[:40] + "x" + fresh()[41:],
	} {
		if printed, err := c.run(t, body, c.verify, url); err == nil || !strings.Contains(err.Error(), "not to be believed") {
			t.Errorf("%s: %q, %v", name, printed, err)
		}
	}
}
