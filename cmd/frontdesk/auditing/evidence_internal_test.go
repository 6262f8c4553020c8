package auditing

import (
	"testing"

	"github.com/google/uuid"

	"frontdesk/domain/access"
	"frontdesk/domain/application"
	"frontdesk/domain/event"
	"frontdesk/domain/staff"
)

func TestWhoHasComeBackIsNotExplainedByTheirLeaving_D14(t *testing.T) {
	t.Parallel()
	question := Question{}
	question.Tenant, question.Username, question.Mode = "elm", "kim", application.UserRestricted
	w := witness{question: question, events: map[access.Rule]event.Recorded{}}
	kim := staff.StreamOf("elm", staff.ID{UUID: uuid.Max})
	for _, e := range []event.Event{staff.Registered{Username: "kim"}, staff.Deactivated{}, staff.Reactivated{}, staff.Reset{}} {
		w.see(event.Recorded{Event: e, Stream: kim})
	}
	if found := w.evidence(); len(found) != 1 || found[0].Rule != access.RuleStaff || found[0].EventName() != "staff.reactivated.v1" {
		t.Errorf("the evidence is %+v", found)
	}
}
