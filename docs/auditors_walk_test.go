//go:build walk

package docs_test

import (
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// auditorsPages are typed into one shell, one after the other.
var auditorsPages = []string{"audit/README.md", "audit/verify-a-log.md", "audit/proofs.md", "audit/promises.md", "audit/access.md", "audit/accounts.md"}

// TestWalkAuditorsPages_D79 types the pages into a shell, one block after
// another, against the sandbox: a checkpoint is kept, the log is forged by a superuser, and
// every verifier reports it. Only the names of the database and of the practice differ from
// those of the page.
func TestWalkAuditorsPages_D79(t *testing.T) {
	t.Parallel()
	s, err := theSandbox()
	if err != nil {
		t.Fatal(err)
	}
	clients, err := theClients()
	if err != nil {
		t.Fatal(err)
	}
	_, info := aSandbox(t)
	info.caller(t, clients["Python"], info.APIURL).must(order{Do: "create-patient-request", Files: []string{writeFile(t, "cough.png", "\x89PNG")}, Input: fields{
		"patientId": info.Patients[0].ID, "requestType": "medical", "requester": "patient",
		"response": []fields{{"question": "healthConcern", "answer": "A cough that will not go away"}},
	}})
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS("examples/python")); err != nil {
		t.Fatal(err)
	}
	bin, err := filepath.Abs("../.frontdesk/bin")
	if err != nil {
		t.Fatal(err)
	}
	printed := output(t, "", dir, "env", "PATH="+bin+":"+os.Getenv("PATH"), "timeout", "5m", "bash", "-c", s.script(t, auditorsPages...))
	for _, want := range []string{
		"\nf\nevents_append_only|O\n", "\n— api.example ", "Verified:", "DIFFERS", "\nsound: ", "\n0\n",
	} {
		if !strings.Contains(printed, want) {
			t.Errorf("the page's commands never print %s:\n%s", want, printed)
		}
	}
}

// fails is a command of a page that has to fail, which bash does not insist on.
var fails = regexp.MustCompile(`(?m)^! (.*)$`)

// script returns the commands of pages for auditors, as they are said to the sandbox.
func (s *sandbox) script(t *testing.T, pages ...string) string {
	t.Helper()
	var info struct{ DatabaseURL, TenantID string }
	s.read(t, &info)
	var commands strings.Builder
	for _, page := range pages {
		for _, snippet := range snippets(t, page) {
			switch snippet.language {
			case "sh":
				commands.WriteString(snippet.text)
			case "text": // an example of a file's content
			default:
				t.Errorf("nothing runs a snippet in %q of %s", snippet.language, page)
			}
		}
	}
	as := func(role string) string {
		u, err := url.Parse(info.DatabaseURL)
		if err != nil {
			t.Fatal(err)
		}
		u.User = url.User(role)
		return "'" + u.String() + "'"
	}
	return "set -euxo pipefail\ntrap 'kill $(jobs -p) 2>/dev/null || true' EXIT\n" + strings.NewReplacer(
		"'postgres://frontdesk_audit@db.example/frontdesk'", as("frontdesk_audit"),
		"'postgres://frontdesk_signer@db.example/frontdesk'", as("frontdesk_signer"),
		"postgres://postgres@db.example/frontdesk", as("postgres"),
		"elm-street", info.TenantID,
	).Replace(fails.ReplaceAllString(commands.String(), "if $1; then exit 99; fi"))
}

const python = "/usr/bin/python3" // Debian's, which has Debian's packages

const vectorsOfProofs = "../../../domain/proof/testdata/vectors.json"

// The verifier in Python gives each of the vectors the verdict of package proof's own tests,
// though it was written independently of them.
func TestWalkPythonProofVerifier_D79(t *testing.T) {
	t.Parallel()
	output(t, "", "examples/python", python, "-B", "test_verify_proof.py", vectorsOfProofs)
}
