package projections_test

import (
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"frontdesk/domain/application"
	"frontdesk/domain/authorisation"
	"frontdesk/domain/practice"
	"frontdesk/domain/staff"
	"frontdesk/projections"
)

func (d *day) applicationAt(t *testing.T, tenant string, app application.ID, now time.Time) projections.ApplicationAt {
	t.Helper()
	found, err := projections.ApplicationsAt{DB: d.pool}.Of(t.Context(), tenant, app, now)
	if err != nil {
		t.Fatal(err)
	}
	return found
}

func TestAnApplicationLearnsHowItStands_D94(t *testing.T) {
	t.Parallel()
	d := authorised(t) // Dr Lee has, at Elm Street, until ends
	hook := application.WebhookSet{Event: application.RecordOpened, URL: "https://app.example/hook"}
	d.happens(t, application.StreamOf(referrals), application.CallbackAdded{Callback: "https://b.example/"}, application.CallbackAdded{Callback: "https://a.example/"},
		application.PatientScopedMarked{}, hook, application.EndpointGranted{Grant: submitApp})
	d.happens(t, application.StreamOf(diary), application.CallbackAdded{Callback: "https://diary.example/"}, application.EndpointGranted{Grant: submitApp},
		application.WebhookSet{Event: application.RecordOpened, URL: "https://diary.example/hook"})
	for _, s := range about(ann, bill) {
		d.grant(t, elm, s, ends.Add(time.Hour))
	}
	d.grant(t, elm, authorisation.Subject{Staff: lee, Application: diary}, ends)
	d.grant(t, oak, authorisation.Subject{Staff: kim, Application: referrals}, ends) // which Oak Lane has not enabled

	registered := projections.ApplicationAt{
		Name: "Referrals", JWKSURL: keysURL, PatientScoped: true, Callbacks: []string{"https://a.example/", "https://b.example/"},
		Grants: []application.Grant{submitApp, submitFor}, Webhooks: []application.WebhookSet{hook},
	}
	at := func(standing, scoped int) projections.ApplicationAt {
		return with(registered, func(a *projections.ApplicationAt) { a.Enabled, a.Standing, a.Scoped = true, standing, scoped })
	}
	for name, c := range map[string]struct {
		tenant string
		now    time.Time
		want   projections.ApplicationAt
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
	d.happens(t, staff.StreamOf(elm, lee), staff.Deactivated{})
	if got := d.applicationAt(t, elm, referrals, granted); got.Standing+got.Scoped != 0 {
		t.Errorf("who has left still counts: %+v", got)
	}
	if _, err := (projections.ApplicationsAt{DB: d.pool}).Of(t.Context(), elm, application.ID{UUID: ann.UUID}, granted); !errors.Is(err, application.ErrUnknown) {
		t.Error(err)
	}
}

// A list without entries is empty, and ended authorisations are not counted.
func TestAnApplicationWithNothingHasEmptyLists_D94(t *testing.T) {
	t.Parallel()
	d := registered(t)
	d.happens(t, practice.EnablementStream(elm, referrals), practice.ApplicationEnabled{Application: referrals}, practice.ApplicationDisabled{Application: referrals})
	want := projections.ApplicationAt{Name: "Referrals", JWKSURL: keysURL, Callbacks: []string{}, Grants: []application.Grant{}, Webhooks: []application.WebhookSet{}}
	if diff := cmp.Diff(want, d.applicationAt(t, elm, referrals, granted)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
