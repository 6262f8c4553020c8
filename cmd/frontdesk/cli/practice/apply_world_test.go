package practice_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"frontdesk/adapters/clock"
	"frontdesk/adapters/postgres/postgrestest"
	"frontdesk/cmd/frontdesk/cli/clitest"
)

// example copies the operators' example. Its closure is next year's, because one that is over
// changes nothing.
func example(t *testing.T) (file string) {
	t.Helper()
	text := clitest.ReadFile(t, "../../../../docs/operate/practices.yaml")
	file = filepath.Join(t.TempDir(), "practices.yaml")
	clitest.Must(t, os.WriteFile(file, []byte(strings.ReplaceAll(text, " 2036-12-", fmt.Sprintf(" %d-12-", nextYear))), 0o600))
	return file
}

var nextYear = clock.System().UTC().Year() + 1

// applied is a database to which documents are applied.
type applied struct {
	t     *testing.T
	db    *postgrestest.Database
	links string
}

func newApplied(t *testing.T) *applied {
	t.Helper()
	return &applied{t, postgrestest.New(t), filepath.Join(t.TempDir(), "links.jsonl")}
}

func (a *applied) run(documents string, args ...string) clitest.Outcome {
	a.t.Helper()
	return clitest.FrontdeskWith(a.t, documents, append([]string{"apply", "-f", "-", "--database-url", a.db.URL}, args...)...)
}

// changes applies documents that nothing refuses, and returns the names of the events, by
// document.
func (a *applied) changes(documents string, args ...string) map[string][]string {
	a.t.Helper()
	o := a.run(documents, append(args, "--json")...)
	o.WantSuccess(a.t)
	found := map[string][]string{}
	for line := range strings.Lines(o.Out) {
		var document struct {
			Name    string
			Changes []struct{ Events []struct{ Name string } }
		}
		clitest.Must(a.t, json.Unmarshal([]byte(line), &document))
		found[document.Name] = []string{}
		for _, change := range document.Changes {
			for _, e := range change.Events {
				found[document.Name] = append(found[document.Name], e.Name)
			}
		}
	}
	return found
}

func (a *applied) want(documents string, name string, events ...string) {
	a.t.Helper()
	a.wantWith(nil, documents, name, events...)
}

func (a *applied) wantWith(args []string, documents string, name string, events ...string) {
	a.t.Helper()
	would := a.changes(documents, append(args, "--dry-run")...)[name]
	if got := a.changes(documents, args...)[name]; !slices.Equal(got, events) || !slices.Equal(would, events) {
		a.t.Errorf("applied\n%s\n%v happened, and %v would have; want %v", documents, got, would, events)
	}
	if again := a.changes(documents, args...)[name]; len(again) > 0 {
		a.t.Errorf("applied again, %v happened", again)
	}
}

// events counts the stored events.
func (a *applied) events() (n int) {
	a.t.Helper()
	clitest.Must(a.t, a.db.AdminPool(a.t).QueryRow(a.t.Context(), `SELECT count(*) FROM events`).Scan(&n))
	return n
}

// given reads the links that were handed out.
func (a *applied) given() (links []struct{ TenantID, Username, Link string }) {
	a.t.Helper()
	text, err := os.ReadFile(a.links)
	clitest.Must(a.t, err)
	for line := range strings.Lines(string(text)) {
		var link struct{ TenantID, Username, Link string }
		clitest.Must(a.t, json.Unmarshal([]byte(line), &link))
		links = append(links, link)
	}
	return links
}

const elmRegistered = "kind: practice\ntenant: elm\nname: Elm\n"
