package conformance_test

import (
	"context"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"frontdesk/adapters/bearer"
	"frontdesk/adapters/clock"
	"frontdesk/cmd/frontdesk/devkit/conformance"
)

// TestMain is also the client under test: it is this program, run again.
func TestMain(m *testing.M) {
	if habit := os.Getenv("CONFORMANCE_HABIT"); habit != "" {
		os.Exit(beClient(habit))
	}
	os.Exit(m.Run())
}

// tryClient tests a client with a habit, and returns the failed checks, with reasons.
func tryClient(t *testing.T, habit string) map[string]string {
	t.Helper()
	dir := t.TempDir()
	publish(t, dir, "key-1")
	self := []string{"env", "CONFORMANCE_HABIT=" + habit, "CONFORMANCE_DIR=" + dir, os.Args[0]}
	tried := conformance.Client{
		Command: self, Rotate: []string{"env", "CONFORMANCE_HABIT=rotate " + habit, "CONFORMANCE_DIR=" + dir, os.Args[0]}, Address: "127.0.0.1:0",
		Keys: func(context.Context) (bearer.KeySet, error) {
			document, err := os.ReadFile(filepath.Join(dir, "jwks.json"))
			if err != nil {
				return bearer.KeySet{}, err
			}
			return bearer.ReadPublished("jwks.json", document)
		},
		Limit: 30 * time.Second, Now: clock.System, Output: t.Output(),
	}
	failures := map[string]string{}
	failed, err := tried.Run(t.Context(), func(r conformance.Result) {
		if !r.Passed {
			failures[r.Name] = r.Why
		}
	})
	if err != nil || failed != len(failures) {
		t.Fatalf("%d failed, %d were reported: %v", failed, len(failures), err)
	}
	return failures
}

func TestARightClientPasses_D100(t *testing.T) {
	t.Parallel()
	for _, habit := range []string{"right", "charset"} {
		if failures := tryClient(t, habit); len(failures) != 0 {
			t.Errorf("%s: it failed: %v", habit, failures)
		}
	}
}

func TestABrokenClientFailsForTheRightReason_D100(t *testing.T) {
	t.Parallel()
	for habit, broken := range map[string]struct {
		fails []string // the telling one first
		why   string
	}{
		"no key":         {[]string{"answer-lost", "busy", "limited", "cut-off"}, "it made 2 requests"},
		"key each time":  {[]string{"answer-lost", "busy", "limited", "cut-off"}, "it made 2 requests"},
		"one key":        {[]string{"busy", "limited", "cut-off", "answer-lost", "newer"}, "that of another request"},
		"never again":    {[]string{"busy", "limited", "cut-off", "answer-lost"}, "it gave up after one call"},
		"at once":        {[]string{"busy", "limited"}, "and Retry-After was 1 s"},
		"always again":   {[]string{"refused", "new-code", "forbidden"}, "the answer will be the same"},
		"never gives up": {[]string{"down", "busy", "limited"}, "wait longer each time"},
		"one run":        {slices.Sorted(maps.Keys(allButCall)), "no call arrived"},
		"Pascal case":    {slices.Sorted(maps.Keys(allChecks)), "the body lacks patientId"},
		"long tokens":    {slices.Sorted(maps.Keys(allChecks)), "at most 60 seconds"},
		"says yes":       {[]string{"refused", "new-code", "forbidden", "down"}, "as if the request had been submitted"},
		"old key gone":   {[]string{"rotated"}, "the old key is gone"},
		"does not turn":  {[]string{"rotated"}, "still signs with the old key"},
	} {
		t.Run(habit, func(t *testing.T) {
			t.Parallel()
			failures := tryClient(t, habit)
			if got, want := slices.Sorted(maps.Keys(failures)), slices.Sorted(slices.Values(broken.fails)); !slices.Equal(got, want) {
				t.Errorf("it failed %v, want %v: %v", got, want, failures)
			}
			if !strings.Contains(failures[broken.fails[0]], broken.why) {
				t.Errorf("the reason of %s is: %s", broken.fails[0], failures[broken.fails[0]])
			}
		})
	}
}

var allChecks = map[string]bool{
	"call": true, "busy": true, "limited": true, "cut-off": true, "answer-lost": true, "refused": true,
	"new-code": true, "forbidden": true, "down": true, "newer": true, "rotated": true,
}

var allButCall = func() map[string]bool {
	others := maps.Clone(allChecks)
	delete(others, "call")
	return others
}()
