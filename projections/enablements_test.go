package projections_test

import (
	"testing"

	"frontdesk/domain/practice"
)

func TestEachPracticeEnablesForItself_5_6(t *testing.T) {
	t.Parallel()
	d := newDay(t)
	const (
		atElm = `{"tenant": "elm-street", "application": "0190c7a2-0000-7000-8000-000000000011"}`
		atOak = `{"tenant": "oak-lane", "application": "0190c7a2-0000-7000-8000-000000000011"}`
		other = `{"tenant": "elm-street", "application": "0190c7a2-0000-7000-8000-000000000012"}`
	)
	d.Happens(t, practice.EnablementStream(elm, referrals), practice.ApplicationEnabled{Application: referrals})
	d.Happens(t, practice.EnablementStream(elm, diary), practice.ApplicationEnabled{Application: diary})
	d.Happens(t, practice.EnablementStream(oak, referrals), practice.ApplicationEnabled{Application: referrals})
	d.wantTable(t, "enablements", atElm, atOak, other)

	d.Happens(t, practice.EnablementStream(elm, referrals), practice.ApplicationDisabled{Application: referrals})
	d.wantTable(t, "enablements", atOak, other)
	d.Happens(t, practice.EnablementStream(elm, referrals), practice.ApplicationEnabled{Application: referrals})
	d.wantTable(t, "enablements", atElm, atOak, other)
}

func TestATenantIdentifierIsTakenOnce_D35(t *testing.T) {
	t.Parallel()
	d := newDay(t)
	registered := practice.Registered{Name: "Elm Street", TimeZone: "Europe/London"}
	d.Happens(t, practice.StreamOf(elm), registered)
	d.wantTable(t, "practices", `{"tenant": "elm-street", "name": "Elm Street", "time_zone": "Europe/London"}`)
	elsewhere := practice.StreamOf(oak) // as if two operators chose one name for two streams
	elsewhere.Tenant = elm
	d.refuses(t, practice.ErrTenantTaken, elsewhere, registered)
}
