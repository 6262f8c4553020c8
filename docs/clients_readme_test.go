package docs_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A page's snippets follow one another: those in the shell install the client, those in the
// client's language are one program, which this test ends and runs.
func TestEverySnippetOfTheClientsPagesWorks_D99(t *testing.T) {
	t.Parallel()
	s, info := aSandbox(t)
	s.operate(t, "grant-user-authorisation", "--database-url", info.DatabaseURL, "--tenant", info.TenantID,
		"--application", info.Application.ID, "--username", info.Staff.Username)
	root, err := filepath.Abs("..")
	if err != nil {
		t.Fatal(err)
	}
	for name, page := range map[string]struct {
		language, before, after, file, run string
	}{
		"go": {"go", goBefore, "}\n", "main.go", "go mod init example.org/example && %s && go run ."},
		"typescript": {
			"ts", "const [patient, username] = [env.PATIENT!, env.STAFF_USER!];\n", "", "page.ts",
			`npm init -y > /dev/null && npm pkg set type=module && %s && ` +
				`"$FRONTDESK"/client/typescript/node_modules/.bin/tsc --strict --noEmitOnError --target es2022 --module nodenext --typeRoots "$FRONTDESK"/client/typescript/node_modules/@types page.ts && node page.js`,
		},
		"python": {"python", "from os import environ\npatient, username = environ['PATIENT'], environ['STAFF_USER']\n", "", "page.py", `%s && ` + python + " page.py"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir, repository := t.TempDir(), root
			if name == "typescript" {
				if repository, err = copyOf(t, root, "client/typescript"); err != nil {
					t.Fatal(err)
				}
			}
			var install []string
			program := page.before
			for _, snippet := range snippets(t, "../client/"+name+"/README.md") {
				switch snippet.language {
				case "sh":
					if !strings.HasPrefix(snippet.text, "pip ") { // there may be none, and no index to ask
						install = append(install, strings.ReplaceAll(strings.TrimSpace(snippet.text), "\n", " && "))
					}
				case page.language:
					program += strings.ReplaceAll(snippet.text, "job-42", "job-"+name) // they share an application
				default:
					t.Errorf("nothing runs a snippet in %q", snippet.language)
				}
			}
			for file, text := range map[string]string{page.file: program + page.after, "rash.jpg": "\xff\xd8…"} {
				if err := os.WriteFile(filepath.Join(dir, file), []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			s.operate(t, "token", "keygen", "--key", filepath.Join(dir, "next.pem"), "--jwks", filepath.Join(dir, "jwks.json"))
			printed := output(t, "", dir, "env", "FRONTDESK="+repository, "FRONTDESK_API="+info.APIURL, "FRONTDESK_APPLICATION="+info.Application.ID,
				"FRONTDESK_KID="+info.Application.KID, "FRONTDESK_KEY="+info.Application.PrivateKeyFile, "FRONTDESK_NEXT_KEY="+filepath.Join(dir, "next.pem"),
				"PATIENT="+s.aPatient(t, info), "STAFF_USER="+info.Staff.Username, "bash", "-euc", strings.Replace(page.run, "%s", strings.Join(install, " && "), 1))
			for _, want := range []string{info.TenantID + " application-restricted\n", "noted ", "requested "} {
				if !strings.Contains(printed, want) {
					t.Errorf("the page's program never prints %q:\n%s", want, printed)
				}
			}
		})
	}
}

// goBefore is what a page in Go leaves out.
const goBefore = `package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"

	"frontdesk/client"
)

func main() {
	if err := run(context.Background(), os.Getenv("PATIENT"), os.Getenv("STAFF_USER")); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(ctx context.Context, patient, username string) error {
`

// copyOf copies a folder of the repository, so that npm writes nothing into it.
func copyOf(t *testing.T, root, folder string) (repository string, err error) {
	t.Helper()
	repository = t.TempDir()
	return repository, os.CopyFS(filepath.Join(repository, folder), os.DirFS(filepath.Join(root, folder)))
}
