package app

import (
	"bytes"
	"encoding/json"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/prometheus/common/model"
	"github.com/prometheus/prometheus/promql/parser"

	"frontdesk/cmd/frontdesk/alerting"
)

const (
	dashboardFile = "../../../docs/operate/dashboard.json"
	alertsFile    = "../../../docs/operate/alerts.yaml"
)

// board is the part of a Grafana dashboard that tests read.
type board struct {
	SchemaVersion int
	Panels        []panel
}

type panel struct {
	ID          int
	Type        string
	Title       string
	Description string
	Datasource  struct{ UID string }
	GridPos     struct{ X, Y, W, H int }
	FieldConfig struct {
		Defaults struct {
			Unit       string
			Thresholds struct{ Steps []struct{ Value *float64 } }
		}
	}
	Targets []struct {
		RefID      string
		Expr       string
		Datasource struct{ UID string }
	}
}

func readBoard(t *testing.T) (text []byte, b board) {
	t.Helper()
	text, err := os.ReadFile(dashboardFile)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, &b); err != nil {
		t.Fatal(err)
	}
	if len(b.Panels) < 50 || b.SchemaVersion < 39 {
		t.Fatalf("%d panels, of schema %d", len(b.Panels), b.SchemaVersion)
	}
	return text, b
}

// A panel that asks for a metric that is not served stays empty, which looks like peace.
func TestDashboardQueriesServedMetrics_D110(t *testing.T) {
	t.Parallel()
	_, b := readBoard(t)
	served := queryable(servedMetrics(t))
	served["up"], served["scrape_duration_seconds"] = nil, nil // which Prometheus adds
	rules, err := alerting.ReadRules(alertsFile)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range rules.Recorded() {
		served[name] = []string{"objective"}
	}
	for _, p := range b.Panels {
		for _, target := range p.Targets {
			expr, err := asked(target.Expr)
			if err != nil {
				t.Errorf("%s: %v", p.Title, err)
				continue
			}
			for _, unknown := range unknownTo(served, expr) {
				t.Errorf("%s queries %s, which is not served: %s", p.Title, unknown, target.Expr)
			}
		}
	}
}

// asked parses a query as Prometheus does, with Grafana's variables filled in.
func asked(query string) (parser.Expr, error) {
	return parser.NewParser(parser.Options{}).ParseExpr(strings.NewReplacer("$__rate_interval", "5m", "$job", "frontdesk").Replace(query))
}

// unknownTo returns the metrics and labels that a query names and that are not served. A
// label in a grouping must belong to one of the metrics that are grouped.
func unknownTo(served map[string][]string, expr parser.Expr) (unknown []string) {
	parser.Inspect(expr, func(node parser.Node, _ []parser.Node) error {
		switch n := node.(type) {
		case *parser.VectorSelector:
			known, ok := served[n.Name]
			if exported.MatchString(n.Name) {
				return nil
			}
			if !ok {
				unknown = append(unknown, n.Name)
			}
			for _, m := range n.LabelMatchers {
				if m.Name != model.MetricNameLabel && !slices.Contains(targetLabels, m.Name) && !slices.Contains(known, m.Name) {
					unknown = append(unknown, n.Name+"{"+m.Name+"}")
				}
			}
		case *parser.AggregateExpr:
			known := append(labelsIn(served, n.Expr), "mountpoint", "application_name") // of exporters
			for _, label := range n.Grouping {
				if !slices.Contains(known, label) {
					unknown = append(unknown, "the label "+label)
				}
			}
		}
		return nil
	})
	return unknown
}

// exported are the metrics of exporters that others make.
var exported = regexp.MustCompile(`^(haproxy|node|pg|probe)_`)

var targetLabels = []string{"job", "instance"} // which Prometheus adds

func labelsIn(served map[string][]string, expr parser.Expr) []string {
	known := slices.Clone(targetLabels)
	parser.Inspect(expr, func(node parser.Node, _ []parser.Node) error {
		if n, ok := node.(*parser.VectorSelector); ok {
			known = append(known, served[n.Name]...)
		}
		return nil
	})
	return known
}

func TestTheDashboardIsWellMade_D110(t *testing.T) {
	t.Parallel()
	text, b := readBoard(t)
	var formatted bytes.Buffer
	if err := json.Indent(&formatted, text, "", "  "); err != nil || formatted.String() != string(text) {
		t.Errorf("docs/operate/dashboard.json is not formatted (jq . does it): %v", err)
	}
	ids, titles, cells := map[int]bool{}, map[string]bool{}, map[[2]int]string{}
	for _, p := range b.Panels {
		if ids[p.ID] || titles[p.Title] || p.Title == "" {
			t.Errorf("panel %d, %q, is there twice or has no title", p.ID, p.Title)
		}
		ids[p.ID], titles[p.Title] = true, true
		if at := p.GridPos; at.X < 0 || at.W <= 0 || at.X+at.W > 24 || at.H <= 0 {
			t.Errorf("%s is outside the grid: %+v", p.Title, at)
		}
		for x := p.GridPos.X; x < p.GridPos.X+p.GridPos.W; x++ {
			for y := p.GridPos.Y; y < p.GridPos.Y+p.GridPos.H; y++ {
				if other, taken := cells[[2]int{x, y}]; taken {
					t.Fatalf("%s lies on %s", p.Title, other)
				}
				cells[[2]int{x, y}] = p.Title
			}
		}
		if p.Type != "row" {
			p.check(t)
		}
	}
}

// check checks that a panel has a description, a unit and a data source.
func (p panel) check(t *testing.T) {
	t.Helper()
	if p.Description == "" || p.FieldConfig.Defaults.Unit == "" || len(p.Targets) == 0 || p.Datasource.UID != "${datasource}" {
		t.Errorf("%s lacks a description, a unit, a query or the data source", p.Title)
	}
	refs := map[string]bool{}
	for _, target := range p.Targets {
		if refs[target.RefID] || target.Datasource.UID != "${datasource}" {
			t.Errorf("%s: the query %s is there twice, or asks another data source", p.Title, target.RefID)
		}
		refs[target.RefID] = true
	}
}

var alertsOf = regexp.MustCompile(` Alerts: ([A-Za-z, ]+)\.$`)

// Where a panel turns red, its alert comes: each alert has a panel that names it and has its
// limit as a threshold.
func TestTheDashboardTurnsRedWhereAnAlertComes_D110(t *testing.T) {
	t.Parallel()
	_, b := readBoard(t)
	rules, err := alerting.ReadRules(alertsFile)
	if err != nil {
		t.Fatal(err)
	}
	shown := map[string]bool{}
	for _, p := range b.Panels {
		found := alertsOf.FindStringSubmatch(p.Description)
		if found == nil {
			continue
		}
		for name := range strings.SplitSeq(found[1], ", ") {
			shown[name] = true
			i := slices.IndexFunc(rules.Alerts, func(a alerting.Alert) bool { return a.Name == name })
			if i < 0 {
				t.Errorf("%s names the alert %s, which there is not", p.Title, name)
				continue
			}
			if limits := limitsOf(t, rules.Alerts[i].Expr); len(limits) > 0 && !slices.ContainsFunc(limits, p.turns) {
				t.Errorf("%s turns at none of %v, where %s comes", p.Title, limits, name)
			}
		}
	}
	for _, a := range rules.Alerts {
		if !shown[a.Name] {
			t.Errorf("no panel shows the cause of %s", a.Name)
		}
	}
}

// turns reports whether a panel has a threshold at a limit. A count is above 0 from 1 on.
func (p panel) turns(limit float64) bool {
	for _, step := range p.FieldConfig.Defaults.Thresholds.Steps {
		if step.Value != nil && (*step.Value == limit || limit == 0 && *step.Value == 1) {
			return true
		}
	}
	return false
}

// limitsOf returns the numbers that a rule compares with.
func limitsOf(t *testing.T, rule string) (limits []float64) {
	t.Helper()
	expr, err := asked(rule)
	if err != nil {
		t.Fatal(err)
	}
	parser.Inspect(expr, func(node parser.Node, _ []parser.Node) error {
		if n, ok := node.(*parser.BinaryExpr); ok && n.Op.IsComparisonOperator() {
			if limit, is := number(n.RHS); is {
				limits = append(limits, limit)
			}
		}
		return nil
	})
	return limits
}

// number returns a number that is written as one, or as a product of some.
func number(expr parser.Expr) (n float64, ok bool) {
	switch e := expr.(type) {
	case *parser.NumberLiteral:
		return e.Val, true
	case *parser.ParenExpr:
		return number(e.Expr)
	case *parser.BinaryExpr:
		left, isLeft := number(e.LHS)
		right, isRight := number(e.RHS)
		return left * right, isLeft && isRight && e.Op == parser.MUL
	}
	return 0, false
}
