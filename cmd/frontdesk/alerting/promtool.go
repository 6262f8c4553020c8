package alerting

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/goccy/go-yaml"
)

// Expectation is which alerts fire at some time of a stretch, or at one point, of a time line.
type Expectation struct {
	Over time.Duration // back from the end of the phase; 0 for only its end
	Fire []string      // in any order
	Else []string      // alerts that may fire or not
}

// Check makes promtool evaluate the rules. If other alerts fire than expected, the error
// shows them. There is one row of expectations for each phase.
func (l *Timeline) Check(ctx context.Context, wanted [][]Expectation) error {
	dir, err := os.MkdirTemp("", "frontdesk-alerts-")
	if err != nil {
		return fmt.Errorf("evaluate the rules: %w", err)
	}
	defer os.RemoveAll(dir)
	text, err := yaml.Marshal(l.test(wanted))
	if err != nil {
		return fmt.Errorf("evaluate the rules: %w", err)
	}
	file := filepath.Join(dir, "test.yml")
	if err := os.WriteFile(file, text, 0o600); err != nil {
		return fmt.Errorf("evaluate the rules: %w", err)
	}
	return Promtool(ctx, "test", "rules", file)
}

// Promtool runs promtool. The error has its output.
func Promtool(ctx context.Context, args ...string) error {
	said, err := exec.CommandContext(ctx, "promtool", args...).CombinedOutput()
	if errors.Is(err, exec.ErrNotFound) {
		return errors.New("there is no promtool: make deps MISSING=prometheus installs it")
	}
	if err != nil {
		return fmt.Errorf("promtool: %w\n%s", err, bytes.TrimSpace(said))
	}
	return nil
}

// These are the format of promtool's tests.
type (
	unitTests struct {
		RuleFiles []string   `yaml:"rule_files"`
		Interval  string     `yaml:"evaluation_interval"`
		Tests     []unitTest `yaml:"tests"`
	}
	unitTest struct {
		Interval string      `yaml:"interval"`
		Series   []inputLine `yaml:"input_series"`
		Asked    []question  `yaml:"promql_expr_test"`
	}
	inputLine struct {
		Series string `yaml:"series"`
		Values string `yaml:"values"`
	}
	question struct {
		Expr   string   `yaml:"expr"`
		At     string   `yaml:"eval_time"`
		Answer []answer `yaml:"exp_samples"`
	}
	answer struct {
		Labels string  `yaml:"labels"`
		Value  float64 `yaml:"value"`
	}
)

func (l *Timeline) test(wanted [][]Expectation) unitTests {
	test := unitTest{Interval: l.step.String()}
	for _, series := range slices.Sorted(maps.Keys(l.lanes)) {
		test.Series = append(test.Series, inputLine{series, notation(l.lanes[series].values)})
	}
	end := -l.step // the first scrape is at 0
	for i, phase := range l.phases {
		end += phase.Lasts
		for _, e := range wanted[i] {
			test.Asked = append(test.Asked, e.question(end))
		}
	}
	return unitTests{[]string{l.rules.File}, l.step.String(), []unitTest{test}}
}

func (e Expectation) question(at time.Duration) question {
	firing := fmt.Sprintf(`ALERTS{alertstate="firing",alertname!~%q}`, strings.Join(e.Else, "|"))
	if e.Over > 0 {
		firing = "last_over_time(" + firing + "[" + strconv.Itoa(int(e.Over.Seconds())) + "s])"
	}
	q := question{Expr: "group by (alertname) (" + firing + ")", At: at.String()}
	for _, name := range e.Fire {
		q.Answer = append(q.Answer, answer{fmt.Sprintf("{alertname=%q}", name), 1})
	}
	return q
}

// notation writes values as promtool reads them: a+0xn is n further ones, like a.
func notation(values []float64) string {
	var text strings.Builder
	missing := true // before it is there, it is not stale
	for i := 0; i < len(values); {
		n := 1
		for i+n < len(values) && same(values[i], values[i+n]) {
			n++
		}
		switch value := values[i]; {
		case math.IsNaN(value) && missing:
			fmt.Fprintf(&text, "_x%d ", n)
		case math.IsNaN(value):
			text.WriteString(strings.Repeat("stale ", n))
		default:
			fmt.Fprintf(&text, "%s+0x%d ", strconv.FormatFloat(value, 'f', -1, 64), n-1)
			missing = false
		}
		i += n
	}
	return strings.TrimSpace(text.String())
}

func same(a, b float64) bool { return a == b || math.IsNaN(a) && math.IsNaN(b) }
