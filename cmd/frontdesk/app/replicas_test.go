package app_test

import (
	"context"
	"net/http"
	"testing"

	"frontdesk/adapters/bearer/bearertest"
	"frontdesk/commands"
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
