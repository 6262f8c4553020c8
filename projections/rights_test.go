package projections_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"frontdesk/domain/access"
	"frontdesk/domain/application"
	"frontdesk/domain/authorisation"
	"frontdesk/domain/event"
	"frontdesk/domain/patient"
	"frontdesk/domain/practice"
	"frontdesk/domain/staff"
	"frontdesk/projections"
)

// Dr Lee of Elm Street has authorised Referrals until ends; Dr Lee of Oak Lane, a
// different person, has not.
var (
	granted  = noon.Truncate(time.Second)
	ends     = granted.Add(12 * time.Hour)
	standing = authorisation.Subject{Staff: lee, Application: referrals}

	forLee    = access.Claim{Tenant: elm, Application: referrals, Username: "dr.lee", Endpoint: access.Endpoint{Name: submitFor.Endpoint}, Mode: submitFor.Mode}
	forItself = access.Claim{Tenant: elm, Application: referrals, Endpoint: access.Endpoint{Name: submitApp.Endpoint}, Mode: submitApp.Mode}

	leesRights = access.Rights{
		Known: true, JWKSURL: keysURL, Enabled: true, Granted: true, Staff: lee, AuthorisedUntil: ends,
	}
	ownRights = access.Rights{Known: true, JWKSURL: keysURL, Enabled: true}
)

func about(ids ...patient.ID) (subjects []authorisation.Subject) {
	for _, id := range ids {
		subjects = append(subjects, authorisation.Subject{Staff: lee, Application: referrals, Patient: id})
	}
	return subjects
}

func authorised(t *testing.T) *day {
	t.Helper()
	d := registered(t)
	d.Happens(t, practice.EnablementStream(elm, referrals), practice.ApplicationEnabled{Application: referrals})
	d.Happens(t, application.StreamOf(referrals), application.EndpointGranted{Grant: submitFor})
	d.Happens(t, staff.StreamOf(elm, lee), registeredLee)
	d.Happens(t, staff.StreamOf(oak, kim), registeredLee)
	d.grant(t, elm, standing, ends)
	return d
}

func (d *day) grant(t *testing.T, tenant string, s authorisation.Subject, until time.Time) {
	t.Helper()
	d.Happens(t, authorisation.StreamOf(tenant, s), authorisation.Granted{Subject: s, ExpiresAt: until})
}

func (d *day) wantRights(t *testing.T, c access.Claim, now time.Time, want access.Rights) {
	t.Helper()
	got, err := projections.Rights{DB: d.Pool}.Rights(t.Context(), c, now)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("rights (-want +got):\n%s", diff)
	}
}

// with is a copy, changed.
func with[T any](value T, change func(*T)) T {
	change(&value)
	return value
}

func TestRightsAreThoseOfTheClaimAlone_5_6(t *testing.T) {
	t.Parallel()
	d := authorised(t)
	type (
		claim  = access.Claim
		rights = access.Rights
	)
	for name, c := range map[string]struct {
		claim claim
		want  rights
	}{
		"as authorised":       {forLee, leesRights},
		"for itself":          {forItself, ownRights},
		"another endpoint":    {with(forLee, func(c *claim) { c.Endpoint = access.Endpoint{Name: access.CreateNote} }), with(leesRights, func(r *rights) { r.Granted = false })},
		"another mode":        {with(forLee, func(c *claim) { c.Mode = submitApp.Mode }), rights{Known: true, JWKSURL: leesRights.JWKSURL, Enabled: true}},
		"an unknown name":     {with(forLee, func(c *claim) { c.Username = "dr.who" }), with(ownRights, func(r *rights) { r.Granted = true })},
		"another case":        {with(forLee, func(c *claim) { c.Username = "Dr.Lee" }), with(ownRights, func(r *rights) { r.Granted = true })},
		"another practice":    {with(forLee, func(c *claim) { c.Tenant = oak }), rights{Known: true, JWKSURL: keysURL, Granted: true, Staff: kim}},
		"an unknown practice": {with(forLee, func(c *claim) { c.Tenant = "nobody" }), rights{Known: true, JWKSURL: keysURL, Granted: true}},
		"another application": {with(forLee, func(c *claim) { c.Application = diary }), rights{Known: true, JWKSURL: "https://diary.example/", Staff: lee}},
		"unknown":             {with(forLee, func(c *claim) { c.Application = application.ID{UUID: ann.UUID} }), rights{}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d.wantRights(t, c.claim, granted, c.want)
		})
	}
}

func TestAnAuthorisationEndsAtItsInstant_D13(t *testing.T) {
	t.Parallel()
	d := authorised(t)
	d.grant(t, elm, about(ann)[0], ends.Add(time.Hour))
	both := with(leesRights, func(r *access.Rights) { r.Patients = []patient.ID{ann} })
	scopedAlone := with(both, func(r *access.Rights) { r.AuthorisedUntil = time.Time{} })
	neither := with(scopedAlone, func(r *access.Rights) { r.Patients = nil })

	d.wantRights(t, forLee, ends.Add(-time.Millisecond), both)
	d.wantRights(t, forLee, ends.Add(-time.Microsecond), both)
	d.wantRights(t, forLee, ends, scopedAlone)
	d.wantRights(t, forLee, ends.Add(time.Hour-time.Millisecond), scopedAlone)
	d.wantRights(t, forLee, ends.Add(time.Hour), neither)

	d.grant(t, elm, standing, ends.Add(24*time.Hour)) // a second grant
	d.wantRights(t, forLee, ends.Add(24*time.Hour-time.Millisecond), with(neither, func(r *access.Rights) { r.AuthorisedUntil = ends.Add(24 * time.Hour) }))
}

func TestScopedAuthorisationsNamePatients_5_5(t *testing.T) {
	t.Parallel()
	d := authorised(t)
	for _, s := range about(ann, bill) {
		d.grant(t, elm, s, ends)
	}
	got, err := projections.Rights{DB: d.Pool}.Rights(t.Context(), forLee, granted)
	if err != nil || len(got.Patients) != 2 || got.Patients[0] == got.Patients[1] || got.AuthorisedUntil != ends {
		t.Errorf("%+v, %v", got, err)
	}
	scoped := about(ann)[0]
	d.Happens(t, authorisation.StreamOf(elm, scoped), authorisation.Revoked{Subject: scoped})
	d.wantRights(t, forLee, granted, with(leesRights, func(r *access.Rights) { r.Patients = []patient.ID{bill} }))
}

// The rights include the instant before which key sets must not be used, without
// another query.
func TestRightsHaveTimeOfKeySetReread_D94(t *testing.T) {
	t.Parallel()
	d := authorised(t)
	reread := func(at time.Time) {
		d.Happens(t, application.RereadStream(referrals, at), application.KeySetReread{Application: referrals, At: at})
	}
	reread(granted)
	d.wantRights(t, forItself, granted, with(ownRights, func(r *access.Rights) { r.KeySetReread = granted }))
	reread(ends)
	d.wantRights(t, forLee, granted, with(leesRights, func(r *access.Rights) { r.KeySetReread = ends }))
	reread(granted.Add(time.Hour)) // by a clock that is behind: marks never move back
	d.wantRights(t, forLee, granted, with(leesRights, func(r *access.Rights) { r.KeySetReread = ends }))
	d.wantRights(t, with(forItself, func(c *access.Claim) { c.Application = diary }), granted, access.Rights{Known: true, JWKSURL: "https://diary.example/"})
}

func TestAnothersAuthorisationIsNotOnesOwn_D18(t *testing.T) {
	t.Parallel()
	d := authorised(t)
	d.Happens(t, authorisation.StreamOf(elm, standing), authorisation.Revoked{Subject: standing})
	d.grant(t, elm, authorisation.Subject{Staff: kim, Application: referrals}, ends) // another member of staff's
	d.grant(t, elm, authorisation.Subject{Staff: lee, Application: diary}, ends)     // for another application
	d.grant(t, oak, standing, ends)                                                  // of another practice
	d.wantRights(t, forLee, granted, with(leesRights, func(r *access.Rights) { r.AuthorisedUntil = time.Time{} }))
}

// The very next call lacks a right that was taken away (D15), and has one that was
// given back.
func TestRightsAreNeverLate_D14_D15(t *testing.T) {
	t.Parallel()
	type rights = access.Rights
	revoked := authorisation.Revoked{Subject: standing}
	for name, c := range map[string]struct {
		stream event.Stream
		taken  event.Event
		want   func(*rights)
		back   event.Event // nil if no event gives it back
	}{
		"disabled": {practice.EnablementStream(elm, referrals), practice.ApplicationDisabled{Application: referrals},
			func(r *rights) { r.Enabled = false }, practice.ApplicationEnabled{Application: referrals}},
		"grant revoked": {application.StreamOf(referrals), application.EndpointRevoked{Grant: submitFor},
			func(r *rights) { r.Granted = false }, application.EndpointGranted{Grant: submitFor}},
		"keys moved": {application.StreamOf(referrals), application.JWKSURLSet{JWKSURL: "https://new.example/"},
			func(r *rights) { r.JWKSURL = "https://new.example/" }, application.JWKSURLSet{JWKSURL: keysURL}},
		"authorisation revoked": {authorisation.StreamOf(elm, standing), revoked,
			func(r *rights) { r.AuthorisedUntil = time.Time{} }, authorisation.Granted{Subject: standing, ExpiresAt: ends}},
		"staff left": {staff.StreamOf(elm, lee), staff.Deactivated{},
			func(r *rights) { r.AuthorisedUntil = time.Time{} }, nil}, // and is still found
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := authorised(t)
			d.Happens(t, c.stream, c.taken)
			d.wantRights(t, forLee, granted, with(leesRights, c.want))
			if c.back != nil {
				d.Happens(t, c.stream, c.back)
				d.wantRights(t, forLee, granted, leesRights)
			}
		})
	}
}
