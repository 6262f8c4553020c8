package conformance_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"frontdesk/adapters/clock"
	"frontdesk/cmd/frontdesk/devkit/conformance"
)

// tryReceiver tests a receiver that is built for the service, and returns the failed checks,
// with reasons.
func tryReceiver(t *testing.T, limit time.Duration, build func(keySetURL string) *standIn) map[string]string {
	t.Helper()
	service, err := conformance.NewService(t.Context(), "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(service.Close)
	server := httptest.NewTLSServer(build(service.KeySetURL()))
	t.Cleanup(server.Close)
	tried := conformance.Receiver{
		URL: server.URL + "/hook", Processed: server.URL + "/processed",
		Service: service, Client: server.Client(), Now: clock.System, Limit: limit, Patience: time.Second,
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

func TestARightReceiverPasses_D100(t *testing.T) {
	t.Parallel()
	if failures := tryReceiver(t, 0, rightReceiver); len(failures) != 0 {
		t.Errorf("it failed: %v", failures)
	}
}

// It answers first, and processes later.
func TestAReceiverThatProcessesLaterPasses_D100(t *testing.T) {
	t.Parallel()
	failures := tryReceiver(t, 0, func(keySetURL string) *standIn {
		s := rightReceiver(keySetURL)
		s.late = true
		return s
	})
	if len(failures) != 0 {
		t.Errorf("it failed: %v", failures)
	}
}

func TestABrokenReceiverFailsForTheRightReason_D100(t *testing.T) {
	t.Parallel()
	for name, broken := range map[string]struct {
		spoil func(*standIn)
		fails []string // the checks, the telling one first
		why   string   // the reason of the decisive check
	}{
		"believes everybody": {
			func(s *standIn) { s.signature = func(standInToken) bool { return true } },
			[]string{"forged", "not-signed", "hmac", "other-alg", "own-key", "unknown-key", "keys-away"}, "it took a webhook that another key has signed",
		},
		"takes alg none": {
			func(s *standIn) { s.also = takesNone }, []string{"not-signed"}, "it took an unsigned webhook",
		},
		"takes the public key for a secret": {
			func(s *standIn) { s.also = takesHMAC }, []string{"hmac"}, "it took an HMAC that anyone can make",
		},
		"takes the public key without its last newline for a secret": {
			func(s *standIn) { s.also = takesTrimmedHMAC }, []string{"hmac"}, "it took an HMAC that anyone can make",
		},
		"bars none in small letters alone": {
			func(s *standIn) { s.also = takesNoneInCapitals }, []string{"not-signed"}, "it took an unsigned webhook (alg None)",
		},
		"follows jku": {
			func(s *standIn) { s.also = takesJKU }, []string{"own-key"}, "it took a key from where the webhook's own header leads",
		},
		"takes nothing more after the first forgery": {
			func(s *standIn) { s.bars = true },
			[]string{"not-signed", "hmac", "other-alg", "forged", "own-key", "unknown-key", "issuer", "expired", "claims", "rubbish"},
			"it refused an unsigned webhook (alg none), which shows nothing: it answered 429 to a right webhook",
		},
		"takes a key out of the header": {
			func(s *standIn) { s.also = takesOwnKey }, []string{"own-key"}, "it took a key out of the webhook's own header",
		},
		"takes every algorithm of RSA": {
			func(s *standIn) { s.also = takesRS512 }, []string{"other-alg"}, "it took RS512",
		},
		"never asks for keys again": {
			func(s *standIn) { s.asksOnce = true }, []string{"rotated", "keys-away", "rubbish"}, "it answered 400 to a right webhook of the practice sandbox signed with a new key",
		},
		"asks for keys each time": {
			func(s *standIn) { s.asksAlways = true }, []string{"keys-kept", "keys-away"}, "it asked for the keys 5 times for 5 webhooks",
		},
		"does not look at exp": {
			func(s *standIn) { s.fresh = func(map[string]any) bool { return true } }, []string{"expired", "claims"}, "it took a webhook that expired",
		},
		"does not look at iss": {
			func(s *standIn) { s.issuer = func(any) bool { return true } }, []string{"issuer"}, "it took a webhook of another sender",
		},
		"breaks on what it has seen": {
			func(s *standIn) { s.again = http.StatusInternalServerError }, []string{"replayed"}, "it answered 500 when the same webhook came again",
		},
		"processes what it has seen": {
			func(s *standIn) { s.forgets = true }, []string{"replayed"}, "it processed 2 webhooks of one jti",
		},
		"breaks on rubbish": {
			func(s *standIn) { s.malformed = http.StatusInternalServerError }, []string{"rubbish"}, "it answered 500 to an empty body; answer 400",
		},
		"says that it took what it did not": {
			func(s *standIn) { s.refusal = http.StatusOK },
			[]string{"forged", "issuer", "expired", "claims", "unknown-key", "own-key", "hmac", "not-signed", "other-alg", "keys-away"}, "it took",
		},
		"processes before it verifies": {
			func(s *standIn) { s.hasty = true },
			[]string{"forged", "issuer", "expired", "claims", "unknown-key", "own-key", "hmac", "not-signed", "other-alg", "rubbish", "replayed"}, "it processed a webhook that another key has signed",
		},
		"refuses what it does not know": {
			func(s *standIn) { s.kinds = []string{"record.opened"} }, []string{"right"}, "it answered 400 to a right webhook of the practice sandbox (callin.notification.removed)",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			failures := tryReceiver(t, 0, func(keySetURL string) *standIn {
				s := rightReceiver(keySetURL)
				broken.spoil(s)
				return s
			})
			for _, check := range broken.fails {
				if failures[check] == "" {
					t.Errorf("it passed %s", check)
				}
			}
			for check, why := range failures {
				if !slices.Contains(broken.fails, check) {
					t.Errorf("it also failed %s: %s", check, why)
				}
			}
			if !strings.Contains(failures[broken.fails[0]], broken.why) {
				t.Errorf("the reason of %s is: %s", broken.fails[0], failures[broken.fails[0]])
			}
		})
	}
}

// A receiver whose answer comes after everything else is done.
func TestASlowReceiverFails_D100(t *testing.T) {
	t.Parallel()
	failures := tryReceiver(t, 500*time.Millisecond, func(keySetURL string) *standIn {
		s := rightReceiver(keySetURL)
		s.before = func(ctx context.Context) { <-ctx.Done() }
		return s
	})
	if !strings.Contains(failures["right"], "it gave no answer in time") || failures["quick"] == "" {
		t.Errorf("it failed: %v", failures)
	}
}

// A receiver that takes its keys from elsewhere gets that as the reason, instead of a failure
// of every check.
func TestReceiverWithoutOurKeysLearnsTheirPlace_D100(t *testing.T) {
	t.Parallel()
	failures := tryReceiver(t, 0, func(string) *standIn { return rightReceiver("http://127.0.0.1:1/jwks") })
	if !strings.Contains(failures["right"], "let it take them from http://127.0.0.1:") {
		t.Errorf("the reason is: %s", failures["right"])
	}
}

// A count that cannot be read must not pass for one that stays the same.
func TestUnreadableCountFailsReceiver_D100(t *testing.T) {
	t.Parallel()
	failures := tryReceiver(t, 0, func(keySetURL string) *standIn {
		s := rightReceiver(keySetURL)
		s.uncounted, s.forgets = true, true
		return s
	})
	for _, check := range []string{"replayed", "not-signed", "forged"} {
		if !strings.Contains(failures[check], "answered 404 and no number") {
			t.Errorf("the reason of %s is: %s", check, failures[check])
		}
	}
}
