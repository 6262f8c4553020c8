//go:build walk

package docs_test

import (
	"fmt"
	"net"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"frontdesk/docs"
)

// clientPage describes a client's page, which a reader with a project follows.
type clientPage struct {
	language      string
	project       string // the command that the page names to make one
	calls         string // the file of the snippets that are one program
	before, after string // around the snippets, as the page describes it
	run           string // command for that program, if the page has none
}

var clientPages = map[string]clientPage{
	"go":         {language: "go", project: "go mod init example.org/app", calls: "calls.go", before: goBefore, after: "}\n", run: "go run calls.go"},
	"typescript": {language: "ts", project: "npm init -y > /dev/null", calls: "calls.ts"},
	"python":     {language: "python", project: "true", calls: "calls.py", run: "python3 calls.py"},
}

// goBefore is the beginning of the program, which a page in Go leaves out.
const goBefore = `package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"

	"frontdesk.example/client"
)

func main() {
	if err := run(context.Background()); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(ctx context.Context) error {
`

// The snippets of a page in the client's language are one program, which is run at a sandbox,
// except a program that names its file.
func TestWalkClientsPages_D99(t *testing.T) {
	t.Parallel()
	s, info, key := aSignedSandbox(t)
	s.operate(t, "authorisation", "grant", "--database-url", info.DatabaseURL, "--tenant", info.TenantID,
		"--application", info.Application.ID, "--username", info.Staff.Username)
	for name, page := range clientPages {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir, lines := page.follow(t, name, "The first call")
			s.operate(t, "token", "keygen", "--key", filepath.Join(dir, "next.pem"), "--jwks", filepath.Join(dir, "jwks.json"))
			printed := page.types(t, name, dir, lines+page.run,
				"FRONTDESK_API="+info.APIURL, "FRONTDESK_APPLICATION="+info.Application.ID,
				"FRONTDESK_KID="+info.Application.KID, "FRONTDESK_KEY="+info.Application.PrivateKeyFile,
				"FRONTDESK_LOG_KEY="+key, "FRONTDESK_NEXT_KEY="+filepath.Join(dir, "next.pem"), "PATIENT="+s.aPatient(t, info), "STAFF_USER="+info.Staff.Username)
			for _, want := range []string{info.TenantID + " application-restricted\n", "noted ", "call as ann.lee\n", "requested ", "the log has "} {
				if !strings.Contains(printed, want) {
					t.Errorf("the page's program never prints %q:\n%s", want, printed)
				}
			}
		})
	}
}

// A program that is pasted from a page's section on webhooks receives one of the sandbox.
func TestWalkClientsReceiveWebhook(t *testing.T) {
	t.Parallel()
	s, _ := aSandbox(t)
	program, err := filepath.Abs("../.frontdesk/bin")
	if err != nil {
		t.Fatal(err)
	}
	for name, page := range clientPages {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir, lines := page.follow(t, name, "Webhooks")
			printed := page.types(t, name, dir, "trap 'kill $(jobs -p); wait' EXIT\n"+lines, "FRONTDESK_DIR="+s.dir, "PATH="+program+":"+os.Getenv("PATH"))
			if !regexp.MustCompile(`(?m)^[0-9a-f-]{36} is opened$`).MatchString(printed) {
				t.Errorf("it prints\n%s", printed)
			}
		})
	}
}

var ownFile = regexp.MustCompile(`^(?://|#) (\w+\.\w+)\n`)

// follow makes a project with the page's programs in it, and returns the lines of the shell
// that install the client, and those below a heading.
func (p clientPage) follow(t *testing.T, name, below string) (dir, lines string) {
	t.Helper()
	page, err := os.ReadFile("../client/" + name + "/README.md")
	if err != nil {
		t.Fatal(err)
	}
	dir, port := t.TempDir(), freePort(t)
	lines = p.project + "\n"
	calls := p.before
	files := map[string]string{"rash.jpg": "\xff\xd8…"}
	for _, block := range docs.Blocks(string(page)) {
		text := strings.ReplaceAll(block.Text, "3000", port)
		file := ownFile.FindStringSubmatch(text)
		switch {
		case block.Language == "sh" && (block.Below == "Install" || block.Below == below):
			if !strings.HasPrefix(text, "pip ") { // there may be none, and no index to ask
				lines += text
			}
		case block.Language == "sh":
		case block.Language != p.language:
			t.Errorf("nothing runs a block in %q", block.Language)
		case file != nil:
			files[file[1]] = text
		default:
			calls += strings.ReplaceAll(text, "job-42", "job-"+name) // they share an application
		}
	}
	files[p.calls] = calls + p.after
	for file, text := range files {
		if err := os.WriteFile(filepath.Join(dir, file), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir, lines
}

// types types lines into a shell of that project.
func (p clientPage) types(t *testing.T, name, dir, lines string, environment ...string) string {
	t.Helper()
	repository, err := filepath.Abs("..")
	if err == nil && name == "typescript" {
		repository, err = copyOf(t, repository, "client/typescript")
	}
	if err != nil {
		t.Fatal(err)
	}
	script := strings.ReplaceAll("set -eu\n"+lines, "python3 ", python+" ")
	return output(t, "", dir, "env", append(append([]string{"FRONTDESK=" + repository}, environment...), "bash", "-c", script)...)
}

// freePort returns a port without a listener.
func freePort(t *testing.T) string {
	t.Helper()
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	return fmt.Sprint(listener.Addr().(*net.TCPAddr).Port)
}

// copyOf copies a folder of the repository, so that npm writes nothing into it.
func copyOf(t *testing.T, root, folder string) (repository string, err error) {
	t.Helper()
	repository = t.TempDir()
	return repository, os.CopyFS(filepath.Join(repository, folder), os.DirFS(filepath.Join(root, folder)))
}
