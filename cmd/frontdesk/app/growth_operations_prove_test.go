//go:build prove

package app_test

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"testing"
	"time"

	"frontdesk/adapters/bearer/bearertest"
	"frontdesk/adapters/clock"
	"frontdesk/adapters/postgres"
	"frontdesk/adapters/postgres/accesslog"
	"frontdesk/adapters/postgres/uploads"
	"frontdesk/adapters/webhooks"
	"frontdesk/cmd/frontdesk/audit/auditing"
	"frontdesk/commands"
	"frontdesk/domain/access"
	"frontdesk/domain/application"
	"frontdesk/projections"
)

// growthRounds is how often both databases take turns.
const growthRounds = 9

// operation is an action that is repeated in each round.
type operation struct {
	name   string
	times  int
	judged bool // it has to keep the bar
	do     func(*grower) error
}

// operations are all that are compared, in the order of the table.
func operations() []operation {
	all := []operation{
		{"call: create-patient-request", 100, true, func(g *grower) error {
			return g.call(http.MethodPost, string(access.CreatePatientRequest), requestBody(g.patient.String()))
		}},
		{"call: create-note for a user", 100, true, func(g *grower) error {
			return g.call(http.MethodPost, string(access.CreateNote), fmt.Sprintf(`{"patientId":%q,"note":"Seen."}`, g.patient), bearertest.As("dr.lee"))
		}},
		{"call: ping", 100, true, func(g *grower) error { return g.call(http.MethodGet, string(access.Ping), "") }},
		{"append", 100, false, func(g *grower) error {
			_, err := g.Desk.CreateNote(g.t.Context(), commands.CreateNote{Tenant: "elm-street", Patient: g.patient, Text: "a cough"})
			return err
		}},
		{"rights", 200, false, (*grower).rights},
		{"intake", 200, false, func(g *grower) error {
			_, err := projections.Availability{DB: g.pool}.Receptions(g.t.Context(), "elm-street")
			return err
		}},
		{"lag, append to timeline", 10, false, (*grower).lag},
		{"/metrics", 5, false, func(g *grower) error {
			r, err := http.NewRequestWithContext(g.t.Context(), http.MethodGet, g.PrivateURL()+"/metrics", nil)
			if err != nil {
				return err
			}
			return g.ask(r)
		}},
		{"sweep", 3, false, func(g *grower) error {
			db := postgres.On(g.pool)
			return (&uploads.Sweeper{DB: db, Uploads: &uploads.Store{DB: db, Now: clock.System}, Now: clock.System, RealNow: clock.System}).Sweep(g.t.Context())
		}},
		{"explain", 2, false, (*grower).explain},
	}
	return append(all, auditOperations()...)
}

// auditOperations ask by each filter.
func auditOperations() (all []operation) {
	for _, f := range []struct {
		name string
		of   func(*grower) auditing.EventFilter
	}{
		{"audit log --tenant", func(*grower) auditing.EventFilter { return auditing.EventFilter{Tenant: "elm-street"} }},
		{"audit log --tenant --user", func(g *grower) auditing.EventFilter {
			return auditing.EventFilter{Tenant: "elm-street", Staff: g.member}
		}},
		{"audit log --patient", func(g *grower) auditing.EventFilter { return auditing.EventFilter{Patient: g.patient} }},
		{"audit log --stream", func(g *grower) auditing.EventFilter { return auditing.EventFilter{Stream: g.integrator.ID.UUID} }},
		{"audit log --since", func(g *grower) auditing.EventFilter { return auditing.EventFilter{Since: g.since} }},
		{"audit log --since --application", func(g *grower) auditing.EventFilter {
			return auditing.EventFilter{Since: g.since, Application: g.integrator.ID}
		}},
	} {
		all = append(all, operation{f.name, 2, false, func(g *grower) error { return g.read(f.of(g)) }})
	}
	for _, f := range []struct {
		name string
		of   func(*grower) accesslog.CallFilter
	}{
		{"audit calls --application", func(g *grower) accesslog.CallFilter { return accesslog.CallFilter{Application: g.integrator.ID} }},
		{"audit calls --patient", func(g *grower) accesslog.CallFilter { return accesslog.CallFilter{Patient: g.patient} }},
		{"audit calls --since", func(g *grower) accesslog.CallFilter { return accesslog.CallFilter{Since: g.since} }},
	} {
		all = append(all, operation{f.name, 5, false, func(g *grower) error {
			_, err := g.auditor.Auditor.Calls(g.t.Context(), auditing.CallFilter{CallFilter: f.of(g)}, 100)
			return err
		}})
	}
	return append(all, operation{"audit deliveries --tenant", 5, false, func(g *grower) error {
		_, err := g.auditor.Deliveries().List(g.t.Context(), webhooks.Filter{Tenant: "elm-street", Limit: 100})
		return err
	}})
}

func (g *grower) read(f auditing.EventFilter) error {
	end, err := g.auditor.Auditor.End(g.t.Context(), f)
	if err != nil {
		return err
	}
	for _, err := range g.auditor.Auditor.Events(g.t.Context(), f, end) {
		if err != nil {
			return err
		}
	}
	return nil
}

func (g *grower) rights() error {
	_, err := projections.Rights{DB: g.pool}.Rights(g.t.Context(), g.claim(), g.Desk.Now())
	return err
}

func (g *grower) claim() access.Claim {
	return access.Claim{Tenant: "elm-street", Application: g.integrator.ID, Username: "dr.lee",
		Endpoint: access.Endpoint{Name: access.CreateNote}, Mode: application.UserRestricted}
}

func (g *grower) explain() error {
	_, err := g.auditor.Auditor.Explain(g.t.Context(), auditing.Question{At: g.Desk.Now(), Claim: g.claim(), Patient: g.patient.String()}, nil)
	return err
}

// lag is the way of an event into a read model that follows the log.
func (g *grower) lag() error {
	ctx, cancel := context.WithTimeout(g.t.Context(), time.Minute)
	defer cancel()
	note, err := g.Desk.CreateNote(ctx, commands.CreateNote{Tenant: "elm-street", Patient: g.patient, Text: "a cough"})
	for arrived := false; err == nil && !arrived; {
		err = g.pool.QueryRow(ctx, `SELECT EXISTS (SELECT FROM timeline WHERE tenant = 'elm-street' AND patient = $1 AND entry = $2)`, g.patient, note).Scan(&arrived)
	}
	return err
}

// comparison is how long a deed took on both databases, round by round.
type comparison struct{ empty, grown [growthRounds][]time.Duration }

func (d operation) compare(t *testing.T, empty, grown *grower) (c comparison) {
	t.Helper()
	d.take(t, empty, 1) // not measured: the first time fills caches
	d.take(t, grown, 1)
	for n := range growthRounds {
		if n%2 == 0 {
			c.empty[n], c.grown[n] = d.take(t, empty, d.times), d.take(t, grown, d.times)
		} else {
			c.grown[n], c.empty[n] = d.take(t, grown, d.times), d.take(t, empty, d.times)
		}
	}
	return c
}

func (d operation) take(t *testing.T, g *grower, times int) (took []time.Duration) {
	t.Helper()
	for range times {
		begun := clock.Start()
		if err := d.do(g); err != nil {
			t.Fatalf("%s: %v", d.name, err)
		}
		took = append(took, begun.Elapsed())
	}
	slices.Sort(took)
	return took
}

const (
	middle = 0.5
	last   = 0.99
)

func percentile(sorted []time.Duration, p float64) time.Duration {
	return sorted[int(p*float64(len(sorted)-1)+0.5)]
}

// ratios are the medians, over the rounds, of grown to empty: at the median and at the
// 99th percentile.
func (c comparison) ratios() (median, tail float64) {
	ratio := func(p float64) float64 {
		var all []float64
		for n := range growthRounds {
			all = append(all, float64(percentile(c.grown[n], p))/float64(percentile(c.empty[n], p)))
		}
		slices.Sort(all)
		return all[len(all)/2]
	}
	return ratio(middle), ratio(last)
}

const tableOfGrowth = "| what | empty, p50 / p99 (ms) | grown, p50 / p99 (ms) | ratio p50 | ratio p99 |\n|---|---|---|---|---|"

func (c comparison) row(name string) string {
	median, tail := c.ratios()
	show := func(rounds [growthRounds][]time.Duration) string {
		all := slices.Concat(rounds[:]...)
		slices.Sort(all)
		return fmt.Sprintf("%.2f / %.2f", ms(percentile(all, middle)), ms(percentile(all, last)))
	}
	return fmt.Sprintf("| %s | %s | %s | %.2f× | %.2f× |", name, show(c.empty), show(c.grown), median, tail)
}

func ms(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }
