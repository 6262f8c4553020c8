package webhooks

import (
	"testing"

	"github.com/google/uuid"

	"frontdesk/domain/event"
	"frontdesk/domain/record"
)

func TestTheNamesOfAnEventAreAskedForOnce(t *testing.T) {
	t.Parallel()
	opened := event.Recorded{
		ID: uuid.New(), Event: record.CareRecordOpened{},
		Metadata: event.Metadata{Actor: event.Actor{Kind: event.ByStaff, ID: uuid.NewString()}},
	}
	told, _ := noticeOf(opened.Event)
	other := opened
	other.ID = uuid.New()
	deliveries := []delivery{
		{event: opened, notice: told, hasNotice: true}, {event: other, notice: told, hasNotice: true},
		{event: opened, notice: told, hasNotice: true}, {event: other},
	}
	if questions, all := namesOf(deliveries); questions.Len() != 2 || len(all) != 2 {
		t.Errorf("%d questions and %d names about two events", questions.Len(), len(all))
	}
	if deliveries[0].names != deliveries[2].names || deliveries[0].names == deliveries[1].names {
		t.Error("two destinations of an event do not share its names, or two events do")
	}
}
