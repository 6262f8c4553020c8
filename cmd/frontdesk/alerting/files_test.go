package alerting_test

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"frontdesk/cmd/frontdesk/alerting"
	"frontdesk/docs"
)

var heading = regexp.MustCompile(`(?m)^### (.+)$`)

// The page has each alert in the order of the file, and nothing else.
func TestEachAlertHasItsHeading_D111(t *testing.T) {
	t.Parallel()
	rules, err := alerting.ReadRules(rulesFile)
	if err != nil {
		t.Fatal(err)
	}
	var named, headed []string
	for _, found := range heading.FindAllStringSubmatch(docs.OperatorsPages()["operate/alerts.md"], -1) {
		headed = append(headed, found[1])
	}
	for _, alert := range rules.Alerts {
		named = append(named, alert.Name)
		if want := "docs/operate/alerts.md#" + strings.ToLower(alert.Name); alert.Annotations["runbook"] != want {
			t.Errorf("the runbook of %s is %q, want %q", alert.Name, alert.Annotations["runbook"], want)
		}
		if !slices.Contains([]string{"page", "ticket"}, alert.Labels["severity"]) || alert.Annotations["summary"] == "" {
			t.Errorf("%s lacks a description or a severity: %v, %v", alert.Name, alert.Labels, alert.Annotations)
		}
	}
	if diff := cmp.Diff(named, headed); diff != "" {
		t.Errorf("alerts.yaml and alerts.md have other alerts (-rules +page):\n%s", diff)
	}
}

func TestPrometheusReadsTheFiles_D111(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{{"check", "rules", rulesFile}, {"check", "config", "../../../docs/operate/prometheus.yml"}} {
		if err := alerting.Promtool(t.Context(), args...); err != nil {
			t.Error(err)
		}
	}
}
