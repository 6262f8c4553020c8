package bearer_test

import (
	"crypto/sha256"
	"errors"
	"testing"
	"time"

	"frontdesk/adapters/bearer"
	"frontdesk/domain/application"
	"frontdesk/domain/fault"
	"frontdesk/domain/patient"
	"frontdesk/domain/staff"
	"frontdesk/projections"
)

// Step 5 of D1, in its order. Whoever is refused is proven all the same.
func TestAProvenCallerMayStillBeRefused(t *testing.T) {
	t.Parallel()
	const (
		notEnabled    = "The app has not been granted access to this tenant"
		notAuthorised = "The app is not currently authorised to request as the specified user"
	)
	scoped := []patient.ID{child}
	for name, test := range map[string]struct {
		user   string
		op     bearer.Operation
		change func(*projections.Rights)
		want   string // "" to let in
	}{
		"nothing is right":        {"ann", submit, func(r *projections.Rights) { *r = projections.Rights{Known: true, JWKSURL: r.JWKSURL} }, notEnabled},
		"not enabled":             {"", submit, func(r *projections.Rights) { r.Enabled = false }, notEnabled},
		"not enabled, to ping":    {"", ping, func(r *projections.Rights) { r.Enabled = false }, notEnabled},
		"not granted":             {"", submit, func(r *projections.Rights) { r.Granted = false }, "The app has no permission to call create-patient-request in application-restricted mode"},
		"not granted for users":   {"ann", submit, func(r *projections.Rights) { r.Granted = false }, "The app has no permission to call create-patient-request in user-restricted mode"},
		"ping needs no grant":     {"", ping, func(r *projections.Rights) { r.Granted = false }, ""},
		"nor for a user":          {"ann", ping, func(r *projections.Rights) { r.Granted = false }, ""},
		"no authorisation":        {"ann", submit, func(r *projections.Rights) { r.AuthorisedUntil = time.Time{} }, notAuthorised},
		"none, to ping":           {"ann", ping, func(r *projections.Rights) { r.AuthorisedUntil = time.Time{} }, notAuthorised},
		"no such member of staff": {"ann", submit, func(r *projections.Rights) { r.Staff = staff.ID{} }, notAuthorised},
		"no user, no need":        {"", submit, func(r *projections.Rights) { r.Staff, r.AuthorisedUntil = staff.ID{}, time.Time{} }, ""},
		"scoped":                  {"ann", submit, func(r *projections.Rights) { r.AuthorisedUntil, r.Patients = time.Time{}, scoped }, ""},
		"scoped, naming nobody":   {"ann", browse, func(r *projections.Rights) { r.AuthorisedUntil, r.Patients = time.Time{}, scoped }, notAuthorised},
		"scoped, to ping":         {"ann", ping, func(r *projections.Rights) { r.AuthorisedUntil, r.Patients = time.Time{}, scoped }, notAuthorised},
		"both, naming nobody":     {"ann", browse, func(r *projections.Rights) { r.Patients = scoped }, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := newDesk(t)
			test.change(&d.rights)
			token := app.Token(noon)
			if test.user != "" {
				token = app.Token(noon, as(test.user))
			}
			caller, err := d.call(t, token, test.op)
			if test.want == "" && err != nil {
				t.Error(err)
			}
			if test.want != "" {
				refused(t, err, test.want)
			}
			member := d.rights.Staff
			if test.user == "" {
				member = staff.ID{}
			}
			if caller.Application != app.ID || caller.Username != test.user || caller.Staff != member ||
				caller.TokenHash != sha256.Sum256([]byte(token)) {
				t.Errorf("the access record is told %+v", caller)
			}
		})
	}
}

func TestNobodySpendsAnothersAllowance(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	tooMany := fault.New(fault.RateLimited, "rate-limited", "Too many calls.")
	spent := 0
	d.Limit = func(id application.ID) error {
		if id == app.ID {
			spent++
		}
		return tooMany
	}
	d.rights.Enabled = false // would be told next
	_, err := d.call(t, stranger.Token(noon), submit)
	refused(t, err, badSignature)
	if spent != 0 {
		t.Error("a forged token spends the application's allowance")
	}
	caller, err := d.call(t, app.Token(noon), submit)
	if !errors.Is(err, tooMany) || spent != 1 || caller.Application != app.ID {
		t.Errorf("%v, %d spent by %s", err, spent, caller.Application)
	}
}
