package access_test

import (
	"strings"
	"testing"

	"frontdesk/domain/access"
	"frontdesk/domain/event"
)

func TestTheStatusTellsTheOutcome_D37(t *testing.T) {
	t.Parallel()
	for status, want := range map[int]access.Outcome{
		200: access.Allowed, 399: access.Allowed,
		400: access.Refused, 403: access.Refused, 429: access.Refused, 499: access.Refused,
		500: access.Failed, 503: access.Failed,
	} {
		if got := (access.Call{Status: status}).Outcome(); got != want {
			t.Errorf("%d is %s, want %s", status, got, want)
		}
		if from, until := want.Statuses(); status < from || status >= until {
			t.Errorf("%s is not asked for by %d", want, status)
		}
	}
}

func TestWhomACallWasForIsPersonal_D37(t *testing.T) {
	t.Parallel()
	call := access.Call{Act: &event.OnBehalfOf{
		Practitioner: event.Practitioner{Name: "Dr Lee", Email: "lee@elm.example", GMCNumber: "1234567"},
		Organisation: event.Organisation{Name: "Elm Street"},
	}}
	shown, err := event.Redacted(call)
	if err != nil {
		t.Fatal(err)
	}
	for _, secret := range []string{"Dr Lee", "lee@elm.example", "1234567"} {
		if strings.Contains(string(shown), secret) {
			t.Errorf("%s is shown: %s", secret, shown)
		}
	}
	if !strings.Contains(string(shown), "Elm Street") {
		t.Errorf("the organisation is hidden: %s", shown)
	}
}
