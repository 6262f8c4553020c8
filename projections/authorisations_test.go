package projections_test

import (
	"testing"
	"time"

	"frontdesk/domain/authorisation"
)

func TestStandingAndScopedHaveOwnRows_3(t *testing.T) {
	t.Parallel()
	d := newDay(t)
	row := func(tenant, about string, at time.Time) string {
		return `{"tenant": "` + tenant + `", "application": "0190c7a2-0000-7000-8000-000000000011",
			"staff": "0190c7a2-0000-7000-8000-0000000000b1", "patient": "` + about + `", "expires_at": "` + at.Format("2006-01-02T15:04:05-07:00") + `"}`
	}
	const noPatient = "00000000-0000-0000-0000-000000000000"
	ends := noon.Truncate(time.Second).Add(12 * time.Hour)
	standing := authorisation.Subject{Staff: lee, Application: referrals}
	scoped := authorisation.Subject{Staff: lee, Application: referrals, Patient: ann}
	grant := func(tenant string, s authorisation.Subject, until time.Time) {
		d.Happens(t, authorisation.StreamOf(tenant, s), authorisation.Granted{Subject: s, ExpiresAt: until})
	}

	grant(elm, standing, ends)
	grant(elm, scoped, ends.Add(time.Hour))
	grant(oak, standing, ends)
	d.wantTable(t, "authorisations", row(elm, noPatient, ends), row(elm, ann.String(), ends.Add(time.Hour)), row(oak, noPatient, ends))

	grant(elm, standing, ends.Add(2*time.Hour)) // a second grant replaces the end (D13)
	d.wantTable(t, "authorisations", row(elm, noPatient, ends.Add(2*time.Hour)), row(elm, ann.String(), ends.Add(time.Hour)), row(oak, noPatient, ends))

	d.Happens(t, authorisation.StreamOf(elm, standing), authorisation.Revoked{Subject: standing})
	d.wantTable(t, "authorisations", row(elm, ann.String(), ends.Add(time.Hour)), row(oak, noPatient, ends))
	d.Happens(t, authorisation.StreamOf(elm, scoped), authorisation.Revoked{Subject: scoped})
	d.wantTable(t, "authorisations", row(oak, noPatient, ends))
}
