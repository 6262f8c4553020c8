package alerting

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"

	"github.com/goccy/go-yaml"
)

// Rules are the alerts of a file of rules.
type Rules struct {
	File   string // absolute
	Alerts []Alert
}

// Alert is one of them.
type Alert struct {
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
		rules.Alerts = append(rules.Alerts, group.Rules...)
	}
	return rules, nil
}

var metricName = regexp.MustCompile(`\b(frontdesk_[a-z_]+|up)\b`)

// Metrics are the names of the metrics that the alerts ask for.
func (r Rules) Metrics() (names []string) {
	for _, alert := range r.Alerts {
		names = append(names, metricName.FindAllString(alert.Expr, -1)...)
	}
	slices.Sort(names)
	return slices.Compact(names)
}
