package app

import (
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/prometheus/client_golang/prometheus"

	"frontdesk/adapters/backup"
	"frontdesk/adapters/broker"
	"frontdesk/adapters/notary"
	"frontdesk/adapters/postgres/postgrestest"
	"frontdesk/adapters/sealing"
	"frontdesk/cmd/frontdesk/alerting"
	"frontdesk/docs"
)

const metricsPage = "operate/metrics.md"

var (
	named     = regexp.MustCompile(`\bfrontdesk_[a-z_]+[a-z]\b`)
	described = regexp.MustCompile(`fqName: "([a-z_]+)".* constLabels: \{(.*)\}, variableLabels: \{([a-z_,]*)\}`)
	constant  = regexp.MustCompile(`([a-z]+)="`)
	listed    = regexp.MustCompile("(?m)^\\| `(frontdesk_[a-z_]+)` \\| ([a-z]+) \\| ([^|]+) \\| ")
	quoted    = regexp.MustCompile("`([a-z_]+)`")
	noMetrics = []string{"frontdesk_app", "frontdesk_audit", "frontdesk_signer", "frontdesk_rebuild", "frontdesk_default"} // roles, a schema and a network
)

// metric is the part of a metric that queries depend on.
type metric struct {
	Type   string // "" if nothing was measured yet that shows it
	Labels []string
}

// Alerts and dashboards are made from the page, so it lists exactly the metrics that each
// program serves.
func TestThePageListsTheMetricsOfEachProgram_D110(t *testing.T) {
	t.Parallel()
	page := listedMetrics(t)
	for program, serves := range servedMetrics(t) {
		maps.DeleteFunc(serves, func(name string, _ metric) bool { return !strings.HasPrefix(name, "frontdesk_") })
		lists := maps.Clone(page["Every program"])
		if program == "backup" {
			lists = map[string]metric{} // a file
		}
		maps.Copy(lists, page[program])
		for name, m := range serves {
			if m.Type == "" {
				m.Type = lists[name].Type
				serves[name] = m
			}
		}
		if diff := cmp.Diff(serves, lists); diff != "" {
			t.Errorf("of %s, docs/%s lists others (-served +listed):\n%s", program, metricsPage, diff)
		}
	}
}

// An alert on a metric that does not exist never comes.
func TestEveryMetricOfTheOperatorsPagesExists(t *testing.T) {
	t.Parallel()
	exist := queryable(servedMetrics(t))
	for page, text := range docs.OperatorsPages() {
		for _, name := range named.FindAllString(text, -1) {
			if _, ok := exist[name]; !ok && !slices.Contains(noMetrics, name) {
				t.Errorf("docs/%s names %s, which no program serves", page, name)
			}
		}
	}
	rules, err := alerting.ReadRules(alertsFile)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range rules.Metrics() {
		if _, ok := exist[name]; !ok && strings.HasPrefix(name, "frontdesk_") { // the others are Prometheus's and its exporters'
			t.Errorf("%s names %s, which no program serves", alertsFile, name)
		}
	}
}

// listedMetrics are those of the page, by its headings of the second level.
func listedMetrics(t *testing.T) map[string]map[string]metric {
	t.Helper()
	page, ok := docs.OperatorsPages()[metricsPage]
	if !ok {
		t.Fatalf("there is no docs/%s", metricsPage)
	}
	programs := map[string]map[string]metric{}
	for _, section := range strings.Split(page, "\n## ")[1:] {
		program, text, _ := strings.Cut(section, "\n")
		programs[program] = map[string]metric{}
		for _, row := range listed.FindAllStringSubmatch(text, -1) {
			programs[program][row[1]] = metric{row[2], submatches(quoted, row[3])}
		}
	}
	return programs
}

// servedMetrics are those of each program, with those that nothing has moved yet.
func servedMetrics(t *testing.T) map[string]map[string]metric {
	t.Helper()
	service, err := New(t.Context(), Config{
		DatabaseURL: postgrestest.New(t).URL, Listen: "127.0.0.1:0", PrivateListen: "127.0.0.1:0", APIDomain: "frontdesk.test", MasterKeys: sealing.NewRing(sealing.MasterKey{1}),
	})
	if err != nil {
		t.Fatal(err)
	}
	defer service.Close()
	signer, err := newRegistry(nil)
	if err != nil {
		t.Fatal(err)
	}
	notary.NewMetrics(signer)
	relay, err := newRegistry(nil)
	if err != nil {
		t.Fatal(err)
	}
	broker.NewMetrics(relay)
	return map[string]map[string]metric{
		"serve": metricsOf(t, service.registry), "sign": metricsOf(t, signer), "relay": metricsOf(t, relay), "backup": writtenMetrics(t),
	}
}

// writtenMetrics are those of the file that backups write.
func writtenMetrics(t *testing.T) map[string]metric {
	t.Helper()
	folder := t.TempDir()
	if err := os.MkdirAll(filepath.Join(folder, "base-20260302T120000Z"), 0o700); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"base-20260302T120000Z/backup.json": "{}", "verified.json": `{"at":"2026-03-02T12:00:00Z"}`} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	file := filepath.Join(folder, "frontdesk.prom")
	if err := backup.Folder(folder).WriteMetrics(file); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	written := map[string]metric{}
	for _, name := range named.FindAllString(string(text), -1) {
		written[name] = metric{Type: "gauge"}
	}
	return written
}

// metricsOf are the metrics of a registry.
func metricsOf(t *testing.T, registry *prometheus.Registry) map[string]metric {
	t.Helper()
	families, err := registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	types := map[string]string{}
	for _, family := range families {
		types[family.GetName()] = strings.ToLower(family.GetType().String())
	}
	metrics, descriptions := map[string]metric{}, make(chan *prometheus.Desc)
	go func() {
		defer close(descriptions)
		registry.Describe(descriptions)
	}()
	for d := range descriptions {
		if found := described.FindStringSubmatch(d.String()); found != nil {
			labels := append(submatches(constant, found[2]), strings.FieldsFunc(found[3], func(r rune) bool { return r == ',' })...)
			metrics[found[1]] = metric{types[found[1]], labels}
		}
	}
	return metrics
}

// queryable are the names that a query may have, with their labels, whichever program
// serves them.
func queryable(programs map[string]map[string]metric) map[string][]string {
	names := map[string][]string{}
	for _, metrics := range programs {
		for name, m := range metrics {
			names[name], names[name+"_count"], names[name+"_sum"] = m.Labels, m.Labels, m.Labels
			if m.Type == "summary" {
				names[name] = append(slices.Clone(m.Labels), "quantile")
			}
			names[name+"_bucket"] = append(slices.Clone(m.Labels), "le")
		}
	}
	return names
}

func submatches(pattern *regexp.Regexp, text string) (found []string) {
	for _, match := range pattern.FindAllStringSubmatch(text, -1) {
		found = append(found, match[1])
	}
	return found
}
