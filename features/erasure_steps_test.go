package features_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/cucumber/godog"

	"frontdesk/commands"
	"frontdesk/domain/erasure"
	"frontdesk/domain/event"
	"frontdesk/domain/fault"
	"frontdesk/domain/patient"
)

// forgetting is an erasure as a scenario goes through it.
type forgetting struct {
	asked commands.ErasureAsked
	hold  commands.LiftErasureHold
	last  error // of what was done last
}

// erasureSteps are about patients who are forgotten.
func (w *world) erasureSteps(sc *godog.ScenarioContext) {
	sc.Step(`^the operator "([^"]*)" asks for "([^"]*)" to be erased$`, w.asksErasure)
	sc.Step(`^the operator "([^"]*)" confirms the erasure$`, w.confirmsErasure)
	sc.Step(`^the operator "([^"]*)" withdraws the erasure$`, w.withdrawsErasure)
	sc.Step(`^the operator "([^"]*)" keeps the data of "([^"]*)" for a claim$`, w.holdsErasure)
	sc.Step(`^the operator "([^"]*)" lifts the hold$`, w.liftsHold)
	sc.Step(`^the erasure is refused as "([^"]*)"$`, w.erasureRefused)
	sc.Step(`^the erasure is done$`, func() error { return w.forgetting.last })
	sc.Step(`^"([^"]*)" has been erased$`, w.hasBeenErased)
	sc.Step(`^somebody registers the identifier of "([^"]*)" again$`, w.registersAgain)
	sc.Step(`^the log shows "([^"]*)" as the "([^"]*)" of the last "([^"]*)" about "([^"]*)"$`, w.logShowsAs)
	sc.Step(`^the last "patient.erased.v1" names the operators "([^"]*)" and "([^"]*)"$`, w.erasedBy)
}

// operator is the context in which somebody at a terminal acts.
func (w *world) operator(name string) context.Context {
	return event.WithMetadata(w.ctx, event.Metadata{Actor: event.Operator(name, name+"@desk")})
}

func (w *world) asksErasure(operator, about string) error {
	asked, err := w.Desk.ErasePatient(w.operator(operator), commands.ErasePatient{
		Tenant: w.tenant(w.practice), Patient: w.patients[about], Basis: erasure.RetentionEnded, Reason: "ten years have passed",
	})
	w.forgetting.asked, w.forgetting.last = asked, err
	return nil
}

func (w *world) confirmsErasure(operator string) error {
	asked := w.forgetting.asked
	w.forgetting.last = w.Desk.ConfirmErasure(w.operator(operator), commands.ConfirmErasure{Person: asked.Person, Erasure: asked.Erasure})
	return nil
}

func (w *world) withdrawsErasure(operator string) error {
	asked := w.forgetting.asked
	return w.Desk.WithdrawErasure(w.operator(operator), commands.WithdrawErasure{Person: asked.Person, Erasure: asked.Erasure, Reason: "a mistake"})
}

func (w *world) holdsErasure(operator, about string) error {
	lift := commands.LiftErasureHold{Tenant: w.tenant(w.practice), Patient: w.patients[about], Reason: "it is settled"}
	hold, err := w.Desk.HoldErasure(w.operator(operator), commands.HoldErasure{Tenant: lift.Tenant, Patient: lift.Patient, Reason: "a claim"})
	lift.Hold = hold
	w.forgetting.hold = lift
	return err
}

func (w *world) liftsHold(operator string) error {
	return w.Desk.LiftErasureHold(w.operator(operator), w.forgetting.hold)
}

func (w *world) erasureRefused(code string) error {
	refusal, ok := errors.AsType[*fault.Error](w.forgetting.last)
	if !ok || refusal.Code != code {
		return fmt.Errorf("the last step ended with %w", w.forgetting.last)
	}
	return nil
}

func (w *world) hasBeenErased(about string) error {
	if err := w.asksErasure("alice", about); err != nil {
		return err
	}
	w.Pass(erasure.Soonest)
	if err := w.confirmsErasure("bob"); err != nil {
		return err
	}
	return w.forgetting.last
}

func (w *world) registersAgain(about string) error {
	_, w.forgetting.last = w.Desk.RegisterPatient(w.ctx, commands.RegisterPatient{Tenant: w.tenant(w.practice), Patient: w.patients[about], Name: about})
	return nil
}

func (w *world) logShowsAs(value, member, name, about string) error {
	found, err := w.events(name)
	if err != nil {
		return err
	}
	shown := map[string]any{}
	for _, e := range found {
		if e.Event.(event.Patient).PatientID() != w.patients[about].UUID {
			continue
		}
		data, err := json.Marshal(e.Event)
		if err := errors.Join(err, json.Unmarshal(data, &shown)); err != nil {
			return err
		}
	}
	if shown[member] != value {
		return fmt.Errorf("it shows %v", shown)
	}
	return nil
}

func (w *world) erasedBy(first, second string) error {
	e, err := w.last("patient.erased.v1")
	if err != nil {
		return err
	}
	if done := e.Event.(patient.Erased).Done; done.RequestedBy.ID != first || done.ConfirmedBy.ID != second {
		return fmt.Errorf("it names %s and %s", done.RequestedBy, done.ConfirmedBy)
	}
	return nil
}
