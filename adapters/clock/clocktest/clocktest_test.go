package clocktest_test

import (
	"fmt"
	"runtime"
	"testing"
	"testing/synctest"

	"frontdesk/adapters/clock/clocktest"
)

// recorder is a test that records its failure.
type recorder struct {
	testing.TB
	failure string
}

func (r *recorder) Helper() {}

func (r *recorder) Fatalf(format string, args ...any) {
	r.failure = fmt.Sprintf(format, args...)
	runtime.Goexit()
}

func TestEventually(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		looks := 0
		clocktest.Eventually(t, func() bool { looks++; return looks == 3 }, "the third look")
		if looks != 3 {
			t.Errorf("looked %d times, want 3", looks)
		}
		r := &recorder{TB: t}
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			came := 0
			clocktest.Eventually(r, func() bool { came++; return false }, "%d webhooks; %v", 2, clocktest.Lazy(func() any { return came > 1 }))
		}()
		<-ended
		if want := "waited for three minutes: 2 webhooks; true"; r.failure != want {
			t.Errorf("failed with %q, want %q", r.failure, want)
		}
	})
}
