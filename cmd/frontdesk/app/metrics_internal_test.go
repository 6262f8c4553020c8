package app

import (
	"regexp"
	"slices"
	"testing"

	"github.com/prometheus/client_golang/prometheus"

	"frontdesk/adapters/broker"
	"frontdesk/adapters/notary"
	"frontdesk/adapters/postgres/postgrestest"
	"frontdesk/adapters/sealing"
	"frontdesk/docs"
)

var (
	named     = regexp.MustCompile(`\bfrontdesk_[a-z_]+`)
	described = regexp.MustCompile(`fqName: "([a-z_]+)"`)
	noMetrics = []string{"frontdesk_app", "frontdesk_audit", "frontdesk_rebuild", "frontdesk_default"} // roles, a schema and a network
)

// An alert on a metric that does not exist never comes.
func TestEveryMetricOfTheOperatorsPagesExists(t *testing.T) {
	t.Parallel()
	exist := slices.Concat(metricsOf(t), noMetrics)
	found := 0
	for page, text := range docs.OperatorsPages() {
		for _, name := range named.FindAllString(text, -1) {
			found++
			if !slices.Contains(exist, name) {
				t.Errorf("%s names %s, which is none of %v", page, name, exist)
			}
		}
	}
	if found < 20 {
		t.Errorf("%d metrics are named", found)
	}
}

// metricsOf are the program's metrics, those that nothing has moved yet too,
// and the buckets of each.
func metricsOf(t *testing.T) (names []string) {
	t.Helper()
	service, err := New(t.Context(), Config{
		DatabaseURL: postgrestest.New(t).URL, Listen: "127.0.0.1:0", APIDomain: "frontdesk.test", MasterKey: sealing.MasterKey{1},
	})
	if err != nil {
		t.Fatal(err)
	}
	defer service.Close()
	descriptions := make(chan *prometheus.Desc)
	others := prometheus.NewRegistry() // of frontdesk sign and frontdesk relay
	notary.NewMetrics(others)
	broker.NewMetrics(others)
	go func() {
		defer close(descriptions)
		service.registry.Describe(descriptions)
		others.Describe(descriptions)
	}()
	for description := range descriptions {
		name := described.FindStringSubmatch(description.String())[1]
		names = append(names, name, name+"_bucket")
	}
	return names
}
