package webhooks

import (
	"slices"
	"testing"

	"frontdesk/domain"
	"frontdesk/domain/event"
)

// What the fan-out is not handed, it cannot tell.
func TestTheFanOutFollowsWhatIsTold_D28(t *testing.T) {
	t.Parallel()
	var told []event.Event
	for _, e := range domain.Events() {
		if _, tells := noticeOf(e); tells {
			told = append(told, e)
		}
	}

	for _, e := range told {
		if !slices.ContainsFunc(FanOut{}.Follows(), func(f event.Event) bool { return f.EventName() == e.EventName() }) {
			t.Errorf("%s is told and not followed", e.EventName())
		}
	}
	if len(told) != len(FanOut{}.Follows()) {
		t.Errorf("%d sorts of event are told, %d followed", len(told), len(FanOut{}.Follows()))
	}
}
