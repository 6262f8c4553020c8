package authorisation_test

import (
	"testing"
	"time"

	"github.com/google/uuid"

	"frontdesk/domain/application"
	"frontdesk/domain/authorisation"
	"frontdesk/domain/event"
	"frontdesk/domain/event/eventtest"
	"frontdesk/domain/patient"
	"frontdesk/domain/staff"
)

const lifetime = 12 * time.Hour

var (
	noon     = time.Date(2026, 3, 2, 12, 0, 0, 0, time.UTC)
	standing = authorisation.Subject{
		Staff:       staff.ID{UUID: uuid.MustParse("0190c7a2-0000-7000-8000-0000000000b1")},
		Application: application.ID{UUID: uuid.MustParse("0190c7a2-0000-7000-8000-00000000000a")},
	}
	scoped = authorisation.Subject{
		Staff: standing.Staff, Application: standing.Application,
		Patient: patient.ID{UUID: uuid.MustParse("0190c7a2-0000-7000-8000-0000000000a1")},
	}
	granted = authorisation.Granted{Subject: standing, ExpiresAt: noon.Add(lifetime)}
	revoked = authorisation.Revoked{Subject: standing}
)

func grantAt(now time.Time) func(authorisation.Authorisation) ([]event.Event, error) {
	return func(a authorisation.Authorisation) ([]event.Event, error) {
		return []event.Event{a.Grant(standing, now, lifetime)}, nil
	}
}

func revokeAt(now time.Time) func(authorisation.Authorisation) ([]event.Event, error) {
	return func(a authorisation.Authorisation) ([]event.Event, error) { return a.Revoke(standing, now, "") }
}

func TestAuthorisationLastsTwelveHours_D13(t *testing.T) {
	t.Parallel()
	given := eventtest.Given[authorisation.Authorisation]

	given().When(grantAt(noon.Add(999*time.Millisecond))).Then(t, granted)
	given(granted).When(grantAt(noon.Add(time.Hour))).
		Then(t, authorisation.Granted{Subject: standing, ExpiresAt: noon.Add(13 * time.Hour)})
}

func TestOnlyACurrentAuthorisationIsRevoked(t *testing.T) {
	t.Parallel()
	given := eventtest.Given[authorisation.Authorisation]

	given(granted).When(revokeAt(noon.Add(lifetime-time.Nanosecond))).Then(t, revoked)
	given(granted).When(revokeAt(noon.Add(lifetime))).Refuses(t, authorisation.ErrNone)
	given(granted, revoked).When(revokeAt(noon)).Refuses(t, authorisation.ErrNone)
	given().When(revokeAt(noon)).Refuses(t, authorisation.ErrNone)
	given(granted, revoked).When(grantAt(noon)).Then(t, granted)
}

func TestAnAuthorisationIsRevokedForAReason(t *testing.T) {
	t.Parallel()
	eventtest.Given[authorisation.Authorisation](granted).When(func(a authorisation.Authorisation) ([]event.Event, error) {
		return a.Revoke(standing, noon, authorisation.PasswordReset)
	}).Then(t, authorisation.Revoked{Subject: standing, Reason: authorisation.PasswordReset})
}

func TestStandingAndScopedHaveOwnStreams_3(t *testing.T) {
	t.Parallel()
	if authorisation.StreamOf("elm-street", standing) == authorisation.StreamOf("elm-street", scoped) {
		t.Error("a standing and a scoped authorisation share a stream")
	}
	if authorisation.StreamOf("elm-street", standing) == authorisation.StreamOf("oak-lane", standing) {
		t.Error("two practices share a stream")
	}
}

func TestStoredEvents(t *testing.T) {
	t.Parallel()
	eventtest.Golden(t, authorisation.Granted{Subject: scoped, ExpiresAt: noon}, revoked)
}
