package features_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"

	"github.com/cucumber/godog"

	"frontdesk/domain/event"
)

// logSteps are about the events that an auditor finds in the log.
func (w *world) logSteps(sc *godog.ScenarioContext) {
	sc.Step(`^the log shows "([^"]*)" by the application "([^"]*)"$`, w.loggedByApplication)
	sc.Step(`^the log shows "([^"]*)" by "([^"]*)" through "([^"]*)"$`, w.loggedByStaff)
	sc.Step(`^the log shows (\d+) "([^"]*)"$`, w.loggedTimes)
	sc.Step(`^the last "([^"]*)" holds:$`, w.lastHolds)
	sc.Step(`^the last "([^"]*)" was on behalf of "([^"]*)"$`, w.lastOnBehalfOf)
}

// events are those of this scenario's own time, of one name.
func (w *world) events(name string) ([]event.Recorded, error) {
	if err := w.Drain(w.ctx); err != nil {
		return nil, err
	}
	var found []event.Recorded
	for e, err := range w.Log.After(w.ctx, w.logged) {
		if err != nil {
			return nil, err
		}
		if e.EventName() == name {
			found = append(found, e)
		}
	}
	return found, nil
}

func (w *world) last(name string) (event.Recorded, error) {
	found, err := w.events(name)
	if err == nil && len(found) == 0 {
		err = errors.New("the log shows none")
	}
	if err != nil {
		return event.Recorded{}, err
	}
	return found[len(found)-1], nil
}

func (w *world) loggedTimes(times int, name string) error {
	found, err := w.events(name)
	if err == nil && len(found) != times {
		err = fmt.Errorf("the log shows %d", len(found))
	}
	return err
}

func (w *world) loggedByApplication(name, application string) error {
	e, err := w.last(name)
	if err != nil {
		return err
	}
	app, err := w.application(application)
	if err != nil {
		return err
	}
	actor := e.Metadata.Actor
	if actor.Kind != event.ByApplication || actor.ID != app.ID.String() || actor.Mode != "application-restricted" {
		return fmt.Errorf("the actor is %+v", actor)
	}
	if got := w.answer.headers.Get("X-Request-Id"); e.Metadata.RequestID != got {
		return fmt.Errorf("the request id is %s, the answer's %s", e.Metadata.RequestID, got)
	}
	return nil
}

func (w *world) loggedByStaff(name, member, application string) error {
	e, err := w.last(name)
	if err != nil {
		return err
	}
	app, err := w.application(application)
	if err != nil {
		return err
	}
	id, err := w.Staff.StaffByUsername(w.ctx, w.tenant(w.practice), w.usernames[member])
	if err != nil {
		return err
	}
	actor := e.Metadata.Actor
	if actor.Kind != event.ByStaff || actor.ID != id.String() || actor.Application != app.ID.UUID || actor.Mode != "user-restricted" {
		return fmt.Errorf("the actor is %+v", actor)
	}
	return nil
}

func (w *world) lastHolds(name string, body *godog.DocString) error {
	e, err := w.last(name)
	if err != nil {
		return err
	}
	data, err := json.Marshal(e.Event)
	if err != nil {
		return err
	}
	var got, want any
	if err := errors.Join(json.Unmarshal(data, &got), json.Unmarshal([]byte(w.filled(body.Content)), &want)); err != nil {
		return err
	}
	if !reflect.DeepEqual(got, want) {
		return fmt.Errorf("it holds %s", data)
	}
	return nil
}

func (w *world) lastOnBehalfOf(name, practitioner string) error {
	e, err := w.last(name)
	if err != nil {
		return err
	}
	act := e.Metadata.Actor.OnBehalfOf
	if act == nil || !strings.EqualFold(act.Practitioner.Name, practitioner) {
		return fmt.Errorf("it was on behalf of %+v", act)
	}
	return nil
}
