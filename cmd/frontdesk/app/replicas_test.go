package app_test

import (
	"context"
	"net/http"
	"net/url"
	"testing"
	"time"

	"frontdesk/adapters/bearer/bearertest"
	"frontdesk/cmd/frontdesk/testworld"
	"frontdesk/commands"
	"frontdesk/domain/staff"
)

// A change made through one replica applies to the very next call on another.
func TestRevocationAppliesOnEveryReplica_D15(t *testing.T) {
	t.Parallel()
	here := open(t)
	there := replica(t, here.DB)
	id, ctx := here.integrator.ID, t.Context()
	_, err := here.Desk.RegisterStaff(ctx, commands.RegisterStaff{Tenant: "elm-street", Username: "dr.lee", Name: "Dr Lee", Email: "lee@elm.example"})
	must(t, err)

	disable := func(ctx context.Context) error {
		return here.Desk.DisableApplication(ctx, commands.DisableApplication{Tenant: "elm-street", Application: id})
	}
	enable := func(ctx context.Context) error {
		return here.Desk.EnableApplication(ctx, commands.EnableApplication{Tenant: "elm-street", Application: id})
	}
	authorise := func(ctx context.Context) error {
		_, err := here.Desk.GrantUserAuthorisation(ctx, commands.GrantUserAuthorisation{Tenant: "elm-street", Application: id, Username: "dr.lee"})
		return err
	}
	revoke := func(ctx context.Context) error {
		return here.Desk.RevokeUserAuthorisation(ctx, commands.RevokeUserAuthorisation{Tenant: "elm-street", Application: id, Username: "dr.lee"})
	}
	leave := func(ctx context.Context) error {
		return here.Desk.DeactivateStaff(ctx, commands.DeactivateStaff{Tenant: "elm-street", Username: "dr.lee"})
	}
	for i, step := range []struct {
		do           func(context.Context) error
		itself, user int // the statuses of the application for itself, and for Dr Lee
	}{
		{authorise, http.StatusOK, http.StatusOK},
		{disable, http.StatusForbidden, http.StatusForbidden},
		{enable, http.StatusOK, http.StatusOK},
		{revoke, http.StatusOK, http.StatusForbidden},
		{authorise, http.StatusOK, http.StatusOK},
		{leave, http.StatusOK, http.StatusForbidden},
	} {
		must(t, step.do(ctx))
		itself, _ := there.call(t, here.integrator.Token(here.Desk.Now()))
		user, _ := there.call(t, here.integrator.Token(here.Desk.Now(), bearertest.As("dr.lee")))
		if itself != step.itself || user != step.user {
			t.Errorf("after step %d: answered %d and %d, want %d and %d", i, itself, user, step.itself, step.user)
		}
	}
}

// A form of one process comes back from another after the end of the session, when the first
// one has stopped.
func TestTypedTextSurvivesItsProcess_D151(t *testing.T) {
	t.Parallel()
	here := testworld.Serve(t)
	elm := here.Practice("elm-street")
	here.Member(elm, "rose", staff.Receptionist)
	ann := here.Patient(elm, "Ann Archer")
	b := here.SignIn(elm, "rose", "requests")
	b.Open(here.URL() + "/" + elm + "/staff/patients/" + ann.String() + "/details")
	b.Shows("Change details")
	there := here.Replica()
	there.Pass(31 * time.Minute)
	must(t, here.Stop())

	next, err := url.Parse(there.URL())
	must(t, err)
	b.URL.Host = next.Host
	b.Send(url.Values{"name": {"Ann Archer-Bell"}})
	b.Shows("Nothing has been saved.")
	b.Send(url.Values{"username": {"rose"}, "password": {testworld.Password}})
	b.Shows("your text is here", `value="Ann Archer-Bell"`)
	b.Send(url.Values{"name": {"Ann Archer-Bell"}})
	b.Shows("The details have been changed.")
}
