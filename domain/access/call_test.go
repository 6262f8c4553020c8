package access_test

import (
	"strings"
	"testing"

	"frontdesk/domain/access"
	"frontdesk/domain/event"
)

func TestActClaimOfCallIsPersonal_D37(t *testing.T) {
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
