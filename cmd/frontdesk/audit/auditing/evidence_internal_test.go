package auditing

import (
	"testing"

	"github.com/google/uuid"

	"frontdesk/domain/access"
	"frontdesk/domain/application"
	"frontdesk/domain/event"
	"frontdesk/domain/staff"
)

func TestReturnOverridesLeavingInEvidence_D14(t *testing.T) {
	t.Parallel()
	question := Question{}
	question.Tenant, question.Username, question.Mode = "elm", "kim", application.UserRestricted
	w := evidenceCollector{question: question, events: map[access.Rule]event.Recorded{}}
	kim := staff.StreamOf("elm", staff.ID{UUID: uuid.Max})
	for _, e := range []event.Event{staff.Registered{Username: "kim"}, staff.Deactivated{}, staff.Reactivated{}, staff.Reset{}} {
		w.see(event.Recorded{Event: e, Stream: kim})
	}
	if found := w.evidence(); len(found) != 1 || found[0].Rule != access.RuleStaff || found[0].EventName() != "staff.reactivated.v1" {
		t.Errorf("the evidence is %+v", found)
	}
}

// A recorded call names its user by their identifier, which stays after an erasure.
func TestErasedUserIsExplainedByIdentifier_D68(t *testing.T) {
	t.Parallel()
	kim, lee := staff.ID{UUID: uuid.Max}, staff.ID{UUID: uuid.New()}
	question := Question{Staff: kim}
	question.Tenant, question.Username, question.Mode = "elm", event.Erased+" "+kim.String(), application.UserRestricted
	w := evidenceCollector{question: question, events: map[access.Rule]event.Recorded{}}
	for _, who := range []staff.ID{kim, lee} {
		w.see(event.Recorded{Event: staff.Registered{Username: event.Erased}, Stream: staff.StreamOf("elm", who)})
	}
	if found := w.evidence(); len(found) != 1 || found[0].Stream.ID != kim.UUID || w.member != kim {
		t.Errorf("the evidence is %+v, of %s", found, w.member)
	}
}
