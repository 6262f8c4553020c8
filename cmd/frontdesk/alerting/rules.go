package alerting

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"

	"github.com/goccy/go-yaml"
)

// Rules are the alerts of a file of rules, and the series that it records for them.
type Rules struct {
	File     string // absolute
	Alerts   []Alert
	recorded []Alert
}

// Alert is a rule of the file.
type Alert struct {
	Record      string            `yaml:"record"` // "" for an alert
	Name        string            `yaml:"alert"`
	Expr        string            `yaml:"expr"`
	For         string            `yaml:"for"`
	Labels      map[string]string `yaml:"labels"`
	Annotations map[string]string `yaml:"annotations"`
}

// ReadRules reads a file of rules. Use promtool to check whether Prometheus accepts it.
func ReadRules(file string) (rules Rules, err error) {
	if rules.File, err = filepath.Abs(file); err != nil {
		return rules, fmt.Errorf("read the rules: %w", err)
	}
	text, err := os.ReadFile(rules.File)
	if err != nil {
		return rules, fmt.Errorf("read the rules: %w", err)
	}
	var content struct {
		Groups []struct {
			Rules []Alert `yaml:"rules"`
		} `yaml:"groups"`
	}
	if err := yaml.Unmarshal(text, &content); err != nil {
		return rules, fmt.Errorf("read the rules: %w", err)
	}
	for _, group := range content.Groups {
		for _, rule := range group.Rules {
			if rule.Record != "" {
				rules.recorded = append(rules.recorded, rule)
			} else {
				rules.Alerts = append(rules.Alerts, rule)
			}
		}
	}
	return rules, nil
}

var metricName = regexp.MustCompile(`\b((?:frontdesk|haproxy|node|pg|probe)_[a-z_]+|up)\b`)

// Recorded are the names of the series that the rules record.
func (r Rules) Recorded() (names []string) {
	for _, rule := range r.recorded {
		names = append(names, rule.Record)
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// Metrics are the names of the metrics that the rules ask for.
func (r Rules) Metrics() (names []string) {
	for _, alert := range slices.Concat(r.Alerts, r.recorded) {
		names = append(names, metricName.FindAllString(alert.Expr, -1)...)
	}
	slices.Sort(names)
	return slices.Compact(names)
}
