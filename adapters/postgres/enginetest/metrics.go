package enginetest

import (
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
)

// Measured returns the values of collectors, by name and labels.
func Measured(t *testing.T, collectors ...prometheus.Collector) map[string]float64 {
	t.Helper()
	registry := prometheus.NewRegistry()
	registry.MustRegister(collectors...)
	return Gathered(t, registry)
}

// Gathered returns the values of a registry, by name and labels.
func Gathered(t *testing.T, registry *prometheus.Registry) map[string]float64 {
	t.Helper()
	families, err := registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]float64{}
	for _, family := range families {
		for _, m := range family.GetMetric() {
			name := []string{strings.TrimPrefix(family.GetName(), "frontdesk_")}
			for _, label := range m.GetLabel() {
				name = append(name, label.GetValue())
			}
			found[strings.Join(name, " ")] = m.GetGauge().GetValue() + m.GetCounter().GetValue()
		}
	}
	return found
}

// Counter returns the sum of a counter over its labels.
func Counter(t *testing.T, registry *prometheus.Registry, name string) (sum float64) {
	t.Helper()
	families, err := registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	for _, family := range families {
		if family.GetName() == name {
			for _, metric := range family.GetMetric() {
				sum += metric.GetCounter().GetValue()
			}
		}
	}
	return sum
}
