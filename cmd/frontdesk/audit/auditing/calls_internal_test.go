package auditing

import (
	"testing"

	"frontdesk/domain/access"
)

func TestTheStatusTellsTheOutcome_D37(t *testing.T) {
	t.Parallel()
	for status, want := range map[int]Outcome{
		200: Allowed, 399: Allowed,
		400: Refused, 403: Refused, 429: Refused, 499: Refused,
		500: Failed, 503: Failed,
	} {
		if got := OutcomeOf(access.Call{Status: status}); got != want {
			t.Errorf("%d is %s, want %s", status, got, want)
		}
		if from, until := want.Statuses(); status < from || until > 0 && status >= until {
			t.Errorf("%s is not asked for by %d", want, status)
		}
	}
}
