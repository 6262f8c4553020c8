package eventtest_test

import (
	"fmt"
	"testing"

	"frontdesk/domain/event"
	"frontdesk/domain/event/eventtest"
	"frontdesk/domain/practice"
)

// printed replaces the *testing.T of a test: it prints failures.
type printed struct{ testing.TB }

func (printed) Helper() {}

func (printed) Errorf(format string, args ...any) { fmt.Printf(format+"\n", args...) }

// The last line is wrong, and fails.
func ExampleGiven() {
	var t printed
	given := eventtest.Given[practice.Practice]
	registered := practice.Registered{Name: "Elm Street", TimeZone: "Europe/London"}
	register := func(p practice.Practice) ([]event.Event, error) { return p.Register("elm-street", " Elm Street ", "") }

	given().When(register).Then(t, registered)
	given(registered).When(register).Refuses(t, practice.ErrTenantTaken)
	given(registered).When(register).Then(t, registered)
	// Output:
	// refused: tenant-taken: A practice with this tenant identifier exists already.
}
