package commands_test

import (
	"context"
	"errors"
	"fmt"

	"frontdesk/commands"
	"frontdesk/commands/commandtest"
	"frontdesk/domain/event"
	"frontdesk/domain/fault"
)

// A Desk takes intents. This one keeps its events in memory; the program's keeps
// them in Postgres.
func ExampleDesk() {
	store, clock := commandtest.NewStore(), commandtest.NewClock(commandtest.Noon)
	desk := commands.Desk{Store: store, Patients: store, Staff: store, Now: clock.Now}
	ctx := event.WithMetadata(context.Background(), event.Metadata{Actor: event.Actor{Kind: event.ByOperator, ID: "kim"}})

	if err := desk.RegisterPractice(ctx, commands.RegisterPractice{Tenant: "elm-street", Name: "Elm Street"}); err != nil {
		fmt.Println(err)
		return
	}
	ann, err := desk.RegisterPatient(ctx, commands.RegisterPatient{Tenant: "elm-street", Name: "Ann Archer"})
	if err != nil {
		fmt.Println(err)
		return
	}
	_, err = desk.CreateNote(ctx, commands.CreateNote{Tenant: "oak-lane", Patient: ann, Text: "a cough"})
	if refusal, ok := errors.AsType[*fault.Error](err); ok {
		fmt.Println("refused:", refusal.Code)
	}
	for _, e := range store.Log() {
		fmt.Println(e.Stream.Tenant, e.EventName(), "by", e.Metadata.Actor.ID)
	}
	// Output:
	// refused: patient-not-found
	// elm-street practice.registered.v1 by kim
	// elm-street patient.registered.v1 by kim
}
