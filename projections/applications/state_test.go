package applications_test

import (
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"frontdesk/domain/application"
	"frontdesk/domain/authorisation"
	"frontdesk/domain/patient"
	"frontdesk/domain/practice"
	"frontdesk/domain/staff"
	"frontdesk/projections/applications"
)

// An authorisation is granted at one of these times and ends at the other.
var (
	granted = noon.Truncate(time.Second)
	ends    = granted.Add(12 * time.Hour)
)

func (d *day) applicationAt(t *testing.T, tenant string, app application.ID, now time.Time) applications.State {
	t.Helper()
	found, err := applications.States{DB: d.Pool}.Find(t.Context(), tenant, app, now)
	if err != nil {
		t.Fatal(err)
	}
	return found
}

func TestStateOfApplication_D94(t *testing.T) {
	t.Parallel()
	d := registered(t)
	d.Happens(t, practice.EnablementStream(elm, referrals), practice.ApplicationEnabled{Application: referrals})
	for tenant, member := range map[string]staff.ID{elm: lee, oak: kim} {
		d.Happens(t, staff.StreamOf(tenant, member), staff.Registered{Username: "dr.lee", Name: "Dr Lee"})
	}
	d.grant(t, elm, authorisation.Subject{Staff: lee, Application: referrals}, ends)
	hook := application.WebhookSet{Event: application.RecordOpened, URL: "https://app.example/hook"}
	d.Happens(t, application.StreamOf(referrals), application.CallbackAdded{Callback: "https://b.example/"}, application.CallbackAdded{Callback: "https://a.example/"},
		application.PatientScopedMarked{}, hook, application.EndpointGranted{Grant: submitApp}, application.EndpointGranted{Grant: submitFor})
	d.Happens(t, application.StreamOf(diary), application.CallbackAdded{Callback: "https://diary.example/"}, application.EndpointGranted{Grant: submitApp},
		application.WebhookSet{Event: application.RecordOpened, URL: "https://diary.example/hook"})
	for _, id := range []patient.ID{ann, bill} {
		d.grant(t, elm, authorisation.Subject{Staff: lee, Application: referrals, Patient: id}, ends.Add(time.Hour))
	}
	d.grant(t, elm, authorisation.Subject{Staff: lee, Application: diary}, ends)
	d.grant(t, oak, authorisation.Subject{Staff: kim, Application: referrals}, ends) // which Oak Lane has not enabled

	registered := applications.State{
		Name: "Referrals", JWKSURL: keysURL, PatientScoped: true, Callbacks: []string{"https://a.example/", "https://b.example/"},
		Grants: []application.Grant{submitApp, submitFor}, Webhooks: []application.WebhookSet{hook},
	}
	at := func(standing, scoped int) applications.State {
		a := registered
		a.Enabled, a.Standing, a.Scoped = true, standing, scoped
		return a
	}
	for name, c := range map[string]struct {
		tenant string
		now    time.Time
		want   applications.State
	}{
		"all of it":                          {elm, granted, at(1, 2)},
		"the standing one has run out":       {elm, ends, at(0, 2)},
		"all have":                           {elm, ends.Add(time.Hour), at(0, 0)},
		"a practice that has not enabled it": {oak, granted, registered},
		"an unknown practice":                {"nobody", granted, registered},
	} {
		if diff := cmp.Diff(c.want, d.applicationAt(t, c.tenant, referrals, c.now)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
	d.Happens(t, staff.StreamOf(elm, lee), staff.Deactivated{})
	if got := d.applicationAt(t, elm, referrals, granted); got.Standing+got.Scoped != 0 {
		t.Errorf("who has left still counts: %+v", got)
	}
	if _, err := (applications.States{DB: d.Pool}).Find(t.Context(), elm, application.ID{UUID: ann.UUID}, granted); !errors.Is(err, application.ErrUnknown) {
		t.Error(err)
	}
}

// A list without entries is empty, and ended authorisations are not counted.
func TestUnusedApplicationHasEmptyLists_D94(t *testing.T) {
	t.Parallel()
	d := registered(t)
	d.Happens(t, practice.EnablementStream(elm, referrals), practice.ApplicationEnabled{Application: referrals}, practice.ApplicationDisabled{Application: referrals})
	want := applications.State{Name: "Referrals", JWKSURL: keysURL, Callbacks: []string{}, Grants: []application.Grant{}, Webhooks: []application.WebhookSet{}}
	if diff := cmp.Diff(want, d.applicationAt(t, elm, referrals, granted)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
