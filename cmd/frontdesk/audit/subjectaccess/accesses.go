package subjectaccess

import (
	"iter"

	"github.com/google/uuid"

	"frontdesk/adapters/webhooks"
	"frontdesk/cmd/frontdesk/audit/auditing"
	"frontdesk/domain/event"
	"frontdesk/projections/history"
)

// accessed is an access to the patient's data: the party and the operation.
type accessed struct {
	auditing.Access
	Name string `json:"name"` // of the accessing party
	Deed string `json:"deed"` // in words
}

// delivery is a webhook about the patient that was sent to an application.
type delivery struct {
	webhooks.Logged
	Name string `json:"applicationName"`
	Of   string `json:"of"` // in words
}

// events yields every event about the patient.
func (w *writer) events() iter.Seq[any] {
	return each(w, func(e event.Recorded) (item any, has bool, err error) {
		item, err = w.Shown(e)
		return item, true, err
	})
}

// accesses yields the events, oldest first, and then the calls, newest first.
func (w *writer) accesses() iter.Seq[accessed] {
	return func(yield func(accessed) bool) {
		for access, err := range w.Accesses {
			if err != nil {
				w.failed = err
				return
			}
			who, err := access.By.Words(w)
			if err != nil {
				w.failed = err
				return
			}
			if !yield(accessed{access, who, history.Describe(access.What)}) {
				return
			}
		}
	}
}

// deliveriesAtOnce is the number of events for which one query reads the webhooks.
const deliveriesAtOnce = 500

// deliveries yields the webhooks about the patient, those about the oldest events first.
func (w *writer) deliveries() iter.Seq[delivery] {
	return func(yield func(delivery) bool) {
		var some []uuid.UUID
		for e, err := range w.Events {
			if err != nil {
				w.failed = err
				return
			}
			if some = append(some, e.ID); len(some) < deliveriesAtOnce {
				continue
			}
			if !w.deliveriesOf(some, yield) {
				return
			}
			some = some[:0]
		}
		w.deliveriesOf(some, yield)
	}
}

// deliveriesOf yields the webhooks about some events, and reports whether to continue.
func (w *writer) deliveriesOf(events []uuid.UUID, yield func(delivery) bool) bool {
	found, err := w.Deliveries(w.ctx, events)
	if err != nil {
		w.failed = err
		return false
	}
	for _, d := range found {
		name, err := w.Application(d.Application.UUID)
		if err != nil {
			w.failed = err
			return false
		}
		if !yield(delivery{d, name, history.Describe(string(d.Event))}) {
			return false
		}
	}
	return true
}
