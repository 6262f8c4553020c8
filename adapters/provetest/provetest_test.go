package provetest_test

import (
	"fmt"
	"testing"
	"time"

	"frontdesk/adapters/provetest"
)

// recorder records the reports of a test.
type recorder struct {
	testing.TB
	attributes []string
	failed     int
}

func (*recorder) Helper() {}

func (r *recorder) Attr(key, value string) {
	r.attributes = append(r.attributes, key+" "+value)
}

func (r *recorder) Errorf(string, ...any) { r.failed++ }

func TestTriedNothingFails(t *testing.T) {
	t.Parallel()
	r := &recorder{TB: t}
	provetest.Tried(r, 3, "kills")
	if got := fmt.Sprint(r.attributes); got != "[tried 3 kills]" || r.failed != 0 {
		t.Errorf("three kills are reported as %s, with %d errors", got, r.failed)
	}
	provetest.Tried(r, 0, "kills")
	if len(r.attributes) != 1 || r.failed != 1 {
		t.Errorf("no kills are reported as %v, with %d errors", r.attributes, r.failed)
	}
	provetest.Tried(r, 1, "kills, calls")
	if len(r.attributes) != 1 || r.failed != 2 {
		t.Errorf("two kinds are reported as %v, with %d errors", r.attributes, r.failed)
	}
}

func TestLastsReadsEnvironment(t *testing.T) { //nolint:paralleltest // it sets a variable
	for text, want := range map[string]time.Duration{"": time.Second, provetest.Long: time.Minute, "1h": time.Hour} {
		t.Setenv(provetest.Variable, text)
		if got := provetest.Lasts(t, time.Second, time.Minute); got != want {
			t.Errorf("%s=%s: lasts %s, want %s", provetest.Variable, text, got, want)
		}
	}
}
