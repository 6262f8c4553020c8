package alerting_test

import (
	"strings"
	"time"

	"frontdesk/adapters/clock"
	"frontdesk/adapters/clock/clocktest"
)

// metrics are the values of all series of all processes, as they were scraped once.
type metrics map[string]float64

func (w *world) metrics() metrics {
	m := metrics{}
	for _, scrape := range w.scrape() {
		for name, sample := range scrape.Series {
			m[name] = sample.Value
		}
	}
	return m
}

// of are the values of a metric's series that have the labels.
func (m metrics) of(name string, labels ...string) (values []float64) {
	for series, value := range m {
		has := strings.HasPrefix(series, name+"{")
		for _, label := range labels {
			has = has && strings.Contains(series, label)
		}
		if has {
			values = append(values, value)
		}
	}
	return values
}

// most is the highest value of a metric, and 0 for none.
func (m metrics) most(name string, labels ...string) (most float64) {
	for _, value := range m.of(name, labels...) {
		most = max(most, value)
	}
	return most
}

func (m metrics) above(name string, limit float64) bool { return m.most(name) > limit }

// is reports whether there is such a metric, and each of its series has the value.
func (m metrics) is(name string, want float64) bool {
	values := m.of(name)
	for _, value := range values {
		if value != want {
			return false
		}
	}
	return len(values) > 0
}

// until waits until the metrics satisfy a condition.
func (w *world) until(what string, so func(metrics) bool) {
	w.t.Helper()
	clocktest.Eventually(w.t, func() bool {
		if so(w.metrics()) {
			return true
		}
		pause(w.t.Context(), 100*time.Millisecond) // a look asks every process and the database
		return false
	}, "%s", what)
}

// untilStable waits until a value has been the same for a while.
func (w *world) untilStable(what string, value func(metrics) float64) {
	w.t.Helper()
	const same = 2 * time.Second
	was, watch := -1.0, clock.Start()
	w.until(what+" are no more than before", func(m metrics) bool {
		if is := value(m); is != was {
			was, watch = is, clock.Start()
		}
		return watch.Elapsed() > same
	})
}

const few = 50 // the most that is under way at any time

// caughtUp is about the log and its consumers.
func caughtUp(m metrics) bool {
	for _, idx := range m.of("frontdesk_feed_offset") {
		if m.most("frontdesk_log_head")-idx > few {
			return false
		}
	}
	return m.most("frontdesk_unsequenced_events") < few && m.most("frontdesk_log_head") > 0
}

func relayed(m metrics) bool {
	return m.most("frontdesk_relay_idx") > 0 && m.most("frontdesk_relay_lag_events") < few
}

func signed(m metrics) bool {
	ages := m.of("frontdesk_checkpoint_age_seconds")
	for _, age := range ages {
		if age > 5 {
			return false
		}
	}
	return len(ages) > 0 && m.most("frontdesk_signer_completed_timestamp_seconds") > float64(clock.System().Add(-5*time.Second).Unix())
}

func nothingWaits(m metrics) bool { return m.most("frontdesk_webhook_queue_age_seconds") < 5 }
