package features_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"testing"
	"time"

	"frontdesk/adapters/clock"
	"frontdesk/adapters/postgres/postgrestest"
	"frontdesk/cmd/frontdesk/alerting"
	"frontdesk/cmd/frontdesk/app"
	"frontdesk/commands/commandtest"
	"frontdesk/domain/event"
)

// watching is a Prometheus server's view of a program while a feature runs.
type watching struct {
	scrapes [][]alerting.Scrape
	robbed  bool // a scenario removed events, which the program checks for periodically
}

// follows waits until the consumers and the prover have handled all events. After a scenario
// that lets a day pass, an event that is a second late is a day old.
func (p *program) follows() error {
	return eventually(func() error {
		request, err := http.NewRequestWithContext(p.t.Context(), http.MethodGet, p.PrivateURL()+"/metrics", http.NoBody)
		if err != nil {
			return err
		}
		answer, err := http.DefaultClient.Do(request)
		if err != nil {
			return err
		}
		defer answer.Body.Close()
		text, err := io.ReadAll(answer.Body)
		if lag := lagging.Find(text); lag != nil {
			return fmt.Errorf("the program is behind: %s", lag)
		}
		return err
	})
}

var lagging = regexp.MustCompile(`(?m)^frontdesk_(?:consumer|prover)_lag_seconds.* [1-9].*$`)

// look scrapes the program. Its clock is that of the reported time stamps.
func (p *program) look() {
	_ = p.follows() // if it stays behind, an alert fires
	scrape, err := alerting.Take(p.t.Context(), alerting.Target{Job: "frontdesk", Instance: "features", URL: p.PrivateURL()}, clock.System())
	if err != nil {
		p.t.Error(err)
	}
	scrape.At = p.now()
	p.scrapes = append(p.scrapes, []alerting.Scrape{scrape})
}

// wantNoAlerts evaluates the rules on a program's metrics after each scenario, as if
// the feature continued for more than an hour. Its clock is stopped, so every time
// stamp keeps its age.
func (p *program) wantNoAlerts(t *testing.T) {
	t.Helper()
	rules, err := alerting.ReadRules("../docs/operate/alerts.yaml")
	if err != nil {
		t.Fatal(err)
	}
	may := []string{"SlowCalls", "BudgetIsUsed"} // on an overloaded machine
	if p.now().Sub(commandtest.Noon) > 3*time.Hour {
		may = append(may, "SweeperLags") // a scenario let hours pass at once, without a sweep in them
	}
	if p.robbed {
		may = append(may, "LogLacksEvents")
	}
	line := alerting.NewTimeline(rules, alerting.Phase{Lasts: 80 * time.Minute, Scrapes: p.scrapes, Renewed: []string{"_seconds"}})
	if err := line.Check(t.Context(), [][]alerting.Expectation{{{Over: 80 * time.Minute, Else: may}}}); err != nil {
		t.Errorf("an alert fires in an ordinary run: %v", err)
	}
}

// retain makes the partitions of the next months, as an operator's timer does every
// day.
func retain(t *testing.T, db *postgrestest.Database, now func() time.Time) {
	t.Helper()
	engine, err := app.Open(t.Context(), app.Config{DatabaseURL: db.AdminURL, Now: now})
	if err != nil {
		t.Fatal(err)
	}
	defer engine.Close()
	retain := engine.Retain()
	retain.Say, retain.Tell = func(string) {}, func(string) {}
	ctx := event.WithMetadata(context.WithoutCancel(t.Context()), event.Metadata{Actor: event.Operator("features", "")})
	if err := retain.Run(ctx); err != nil {
		t.Fatal(err)
	}
}
