//go:build prove

package main_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"frontdesk/adapters/broker/brokertest"
	"frontdesk/adapters/clock"
	"frontdesk/adapters/postgres"
	"frontdesk/adapters/provetest"
	"frontdesk/cmd/frontdesk/testworld"
)

// Panels that stay empty for a healthy service without sign-ins.
var quietPanels = []string{
	"Pages", "How long pages take", "Tries to sign in", "Told to the log", "Why live pages end", // there are no users
	"Refusals by code", "Unknown fields", "Consumers that stop", "Why they fail", "New epochs", // nothing is wrong
	"Not witnessed", "Checkpoints that a witness forgot", "A key is staged for", // there is none
}

// A query that can be parsed may still be refused when it is answered, or select a series
// that never exists. So Prometheus reads two busy processes, a signer and a relay, and
// answers each panel.
func TestProveThatTheDashboardShowsAService_D110(t *testing.T) { //nolint:paralleltest // it takes the machine
	s := newSurgery(t, newPair(t, false), "asynchronous", 2)
	signer, relay := freeAddress(t), freeAddress(t)
	dir := t.TempDir()
	runProgram(t, "key", "make-log", "--name", "example.com", "--out", filepath.Join(dir, "log.key"))
	s.must(os.Mkdir(filepath.Join(dir, "signer"), 0o700))
	for role, args := range map[string][]string{
		postgres.SignerRole: {"sign", "--log-key-file", filepath.Join(dir, "log.key"), "--state", filepath.Join(dir, "signer"), "--every=1s", "--metrics-listen", signer},
		postgres.AuditRole:  {"relay", "--nats", brokertest.New(t).URL(), "--metrics-listen", relay},
	} {
		beside := &daemon{t: t, args: append(args, "--database-url", s.url(role))}
		beside.start(testworld.Binary(t))
		t.Cleanup(beside.kill)
	}
	asks := runPrometheus(t, map[string][]string{
		"frontdesk":      {s.served[0].private, s.served[1].private},
		"frontdesk-sign": {signer}, "frontdesk-relay": {relay},
	})
	s.work()
	empty := func() (titles []string) {
		for title, queries := range panelsOf(t) {
			for _, query := range queries {
				if len(asks.query(query)) == 0 && !slices.Contains(quietPanels, title) {
					titles = append(titles, title)
				}
			}
		}
		return titles
	}
	var still []string
	for watch := clock.Start(); watch.Elapsed() < 2*time.Minute; time.Sleep(time.Second) {
		if still = empty(); len(still) == 0 {
			provetest.Tried(t, len(panelsOf(t))-len(quietPanels), "panels")
			return
		}
	}
	slices.Sort(still)
	t.Errorf("nothing is shown by %q", slices.Compact(still))
}

// panelsOf are the queries of the dashboard by the titles of its panels, with Grafana's
// variables filled in.
func panelsOf(t *testing.T) map[string][]string {
	t.Helper()
	text, err := os.ReadFile("../../docs/operate/dashboard.json")
	if err != nil {
		t.Fatal(err)
	}
	var board struct {
		Panels []struct {
			Title   string
			Targets []struct{ Expr string }
		}
	}
	if err := json.Unmarshal(text, &board); err != nil {
		t.Fatal(err)
	}
	queries := map[string][]string{}
	for _, p := range board.Panels {
		for _, target := range p.Targets {
			queries[p.Title] = append(queries[p.Title], strings.NewReplacer("$__rate_interval", "10s", "$job", "frontdesk.*").Replace(target.Expr))
		}
	}
	return queries
}

// prometheus is one that runs.
type prometheus struct {
	t   *testing.T
	url string
}

// runPrometheus starts a Prometheus that reads targets by their jobs each second.
func runPrometheus(t *testing.T, targets map[string][]string) prometheus {
	t.Helper()
	dir, place := t.TempDir(), freeAddress(t)
	config := "global: {scrape_interval: 1s, scrape_timeout: 1s}\nscrape_configs:\n"
	for job, at := range targets {
		config += fmt.Sprintf("- job_name: %s\n  static_configs:\n  - targets: [%s]\n", job, strings.ReplaceAll(strings.Join(at, ", "), "http://", ""))
	}
	file := filepath.Join(dir, "prometheus.yml")
	writeFile(t, file, config)
	untilTheEnd(t, exec.CommandContext(context.WithoutCancel(t.Context()), "prometheus",
		"--config.file", file, "--storage.tsdb.path", filepath.Join(dir, "data"), "--web.listen-address", place))
	p := prometheus{t, "http://" + place}
	waitFor(t, p.ready)
	return p
}

func (p prometheus) ready() bool {
	response, err := p.get("/-/ready")
	if err != nil {
		return false
	}
	defer response.Body.Close()
	return response.StatusCode == http.StatusOK
}

func (p prometheus) get(path string) (*http.Response, error) {
	request, err := http.NewRequestWithContext(p.t.Context(), http.MethodGet, p.url+path, nil)
	if err != nil {
		return nil, err
	}
	return http.DefaultClient.Do(request)
}

// query returns the series that answer a query.
func (p prometheus) query(expr string) []json.RawMessage {
	p.t.Helper()
	response, err := p.get("/api/v1/query?query=" + url.QueryEscape(expr))
	if err != nil {
		p.t.Fatal(err)
	}
	defer response.Body.Close()
	var answer struct {
		Status, Error string
		Data          struct{ Result []json.RawMessage }
	}
	if err := json.NewDecoder(response.Body).Decode(&answer); err != nil || answer.Status != "success" {
		p.t.Fatalf("%s: %s, %v", expr, answer.Error, err)
	}
	return answer.Data.Result
}
