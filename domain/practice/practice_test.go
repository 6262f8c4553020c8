package practice_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/uuid"

	"frontdesk/domain/application"
	"frontdesk/domain/event"
	"frontdesk/domain/event/eventtest"
	"frontdesk/domain/practice"
)

var app = application.ID{UUID: uuid.MustParse("0190c7a2-0000-7000-8000-00000000000a")}

func register(tenant, name, zone string) func(practice.Practice) ([]event.Event, error) {
	return func(p practice.Practice) ([]event.Event, error) { return p.Register(tenant, name, zone) }
}

func enable(e practice.Enablement) ([]event.Event, error)  { return e.Enable(app) }
func disable(e practice.Enablement) ([]event.Event, error) { return e.Disable(app) }

func TestAPracticeIsRegisteredOnce(t *testing.T) {
	t.Parallel()
	given := eventtest.Given[practice.Practice]
	registered := practice.Registered{Name: "Elm Street", TimeZone: "Europe/London"}

	given().When(register("elm-street", " Elm Street ", "")).Then(t, registered)
	given(registered).When(register("elm-street", "Elm Street", "")).Refuses(t, practice.ErrTenantTaken)
	given().When(register("elm-street", "  ", "")).Refuses(t, practice.ErrNameless)
	given().When(register("elm-street", "Elm Street", "Europe/Londn")).Refuses(t, practice.ErrUnknownTimeZone)
	given().When(register("elm-street", "Elm Street", "Local")).Refuses(t, practice.ErrUnknownTimeZone)
}

func TestATenantIdentifierIsADNSLabel_D35(t *testing.T) {
	t.Parallel()
	for _, tenant := range []string{"", "-elm", "Elm", "elm.street", "elm_street", "élm", strings.Repeat("a", 64), "elm\n"} {
		eventtest.Given[practice.Practice]().When(register(tenant, "Elm", "")).Refuses(t, practice.ErrInvalidTenant)
	}
	for _, tenant := range []string{"e", "0", "elm-", strings.Repeat("a", 63)} {
		eventtest.Given[practice.Practice]().When(register(tenant, "Elm", "")).
			Then(t, practice.Registered{Name: "Elm", TimeZone: practice.DefaultTimeZone})
	}
}

func TestAPracticeIsKnownOnceRegistered(t *testing.T) {
	t.Parallel()
	if err := event.Fold[practice.Practice](practice.Registered{}).Known(); err != nil {
		t.Error(err)
	}
	if err := event.Fold[practice.Practice]().Known(); !errors.Is(err, practice.ErrUnknown) {
		t.Errorf("got %v, want %v", err, practice.ErrUnknown)
	}
}

func TestAnApplicationIsEnabledAndDisabled_5_6(t *testing.T) {
	t.Parallel()
	given := eventtest.Given[practice.Enablement]
	enabled, disabled := practice.ApplicationEnabled{Application: app}, practice.ApplicationDisabled{Application: app}

	given().When(enable).Then(t, enabled)
	given(enabled).When(enable).Then(t)
	given(enabled).When(disable).Then(t, disabled)
	given().When(disable).Then(t)
	given(enabled, disabled).When(enable).Then(t, enabled)
}

func TestStoredEvents(t *testing.T) {
	t.Parallel()
	eventtest.Golden(t,
		practice.Registered{Name: "Elm Street Surgery", TimeZone: "Europe/London"},
		practice.ApplicationEnabled{Application: app},
		practice.ApplicationDisabled{Application: app},
		off, on, pausedTill, resumed, hoursSet,
		closed(noon, one), reopened(noon, one),
		practice.InformationSet{Texts: map[practice.Topic]string{practice.Purposes: "To treat you."}},
		practice.NoteTemplateSet{Name: "Rang", Text: "Rang, no answer."}, practice.NoteTemplateRemoved{Name: "Rang"},
	)
}
