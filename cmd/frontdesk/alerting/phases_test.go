package alerting_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"frontdesk/adapters/clock"
	"frontdesk/cmd/frontdesk/alerting"
)

const rulesFile = "../../../docs/operate/alerts.yaml"

// phase holds observations, their duration on the time line, and the alerts that fire.
type phase struct {
	alerting.Phase
	fires []string // at its end
}

const (
	looks     = 7
	lookEvery = 400 * time.Millisecond // so that whole seconds pass within a phase, and calls end that take two
)

// These are on the time line. Together they are shorter than a sweep may be late, because in
// a few seconds none is due. So are the windows of the rules, except of those that wait for
// hours.
const (
	before = 20 * time.Minute
	usual  = 40 * time.Minute
	after  = 75 * time.Minute
)

// observe scrapes all processes several times. It continues while a value does not move only
// because this machine is slow.
func (w *world) observe(p alerting.Phase, fires ...string) {
	w.t.Helper()
	tick := time.NewTicker(lookEvery)
	defer tick.Stop()
	for n := 0; n < looks || n < 20*looks && delayed(p, fires); n++ {
		p.Scrapes = append(p.Scrapes, w.scrape())
		<-tick.C
	}
	w.observed = append(w.observed, phase{p, fires})
}

// moving are the time stamps that move every second, unless the cause is that of an alert.
var moving = map[string]string{
	"frontdesk_checkpoint_age_seconds":                                "CheckpointsLag",
	"frontdesk_webhook_queue_age_seconds":                             "WebhooksWait",
	"frontdesk_unsequenced_age_seconds":                               "SequencerLags",
	"frontdesk_consumer_lag_seconds":                                  "ConsumerLags",
	"frontdesk_prover_lag_seconds":                                    "ProverLags",
	"frontdesk_relay_lag_seconds":                                     "RelayLags",
	"frontdesk_signer_completed_timestamp_seconds":                    "LogIsNotSigned",
	`frontdesk_sweep_completed_timestamp_seconds{record="deliveries"`: "SweeperLags",
}

func delayed(p alerting.Phase, fires []string) bool {
	for _, series := range p.Unmoved() {
		for name, alert := range moving {
			if strings.HasPrefix(series, name) && !slices.Contains(fires, alert) && !slices.Contains(fires, "NoProcessServes") {
				return true
			}
		}
	}
	return false
}

// scrape looks at all processes once.
func (w *world) scrape() (row []alerting.Scrape) {
	w.t.Helper()
	for _, p := range slices.Concat(w.serve, []*process{w.sign, w.relay}, w.exporters) {
		if p == nil {
			continue
		}
		row = append(row, w.look(p))
	}
	return row
}

// timely is how long a scrape may take. A process omits values that it could not query within
// 2 s, which on a busy machine shows nothing of the cause.
const timely = time.Second

// look scrapes a process, again if that took long for no lasting reason.
func (w *world) look(p *process) (scrape alerting.Scrape) {
	w.t.Helper()
	for range 10 {
		began := clock.Start()
		var err error
		scrape, err = alerting.Take(w.t.Context(), p.target, clock.System())
		w.must(err)
		if began.Elapsed() < timely {
			break
		}
	}
	return scrape
}

// judge evaluates the rules on all observations. At the end of each phase exactly the
// expected alerts fire, and no other has fired at any time.
func (w *world) judge() {
	w.t.Helper()
	rules, err := alerting.ReadRules(rulesFile)
	w.must(err)
	var phases []alerting.Phase
	var wanted [][]alerting.Expectation
	var ever []string
	var total time.Duration
	for _, p := range w.observed {
		phases = append(phases, p.Phase)
		total += p.Lasts
		for _, name := range p.fires {
			if !slices.Contains(ever, name) {
				ever = append(ever, name)
			}
		}
		wanted = append(wanted, []alerting.Expectation{
			{Fire: p.fires, Else: busy(p.fires)}, {Over: total, Fire: slices.Clone(ever), Else: busy(ever)},
		})
	}
	w.must(alerting.NewTimeline(rules, phases...).Check(w.t.Context(), wanted))
}

// busy are the alerts that an overloaded machine can cause. They may fire in addition to
// those of the test's cause.
func busy(fires []string) []string {
	all := []string{"SlowCalls", "BudgetIsUsed"}
	return slices.DeleteFunc(all, func(name string) bool { return slices.Contains(fires, name) })
}

func TestNothingFiresInAnOrdinaryRun_D111(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.retain()
	w.observe(alerting.Phase{Lasts: 2 * time.Hour})
	w.judge()
}
