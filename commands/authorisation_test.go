package commands_test

import (
	"context"
	"testing"
	"time"

	"frontdesk/commands"
	"frontdesk/domain/application"
	"frontdesk/domain/authorisation"
	"frontdesk/domain/event"
	"frontdesk/domain/patient"
	"frontdesk/domain/practice"
	"frontdesk/domain/staff"
)

// bench is a story about staff who authorise an application.
type bench struct {
	*story
	now   time.Time
	until time.Time // from the last grant
}

func (b *bench) clock() time.Time { return b.now }

func (b *bench) grant(tenant string, id application.ID, username string) func(context.Context) error {
	return func(ctx context.Context) (err error) {
		b.until, err = commands.Desk{Store: b, Staff: b, Now: b.clock, AuthorisationLifetime: 12 * time.Hour}.GrantUserAuthorisation(ctx,
			commands.GrantUserAuthorisation{Tenant: tenant, Application: id, Username: username})
		return err
	}
}

func (b *bench) grantScoped(tenant string, id application.ID, username string, about patient.ID) func(context.Context) error {
	return func(ctx context.Context) (err error) {
		b.until, err = commands.Desk{Store: b, Staff: b, Now: b.clock, AuthorisationLifetime: 12 * time.Hour}.GrantPatientScopedAuthorisation(ctx,
			commands.GrantPatientScopedAuthorisation{Tenant: tenant, Application: id, Username: username, Patient: about})
		return err
	}
}

func (b *bench) revoke(tenant string, id application.ID, username string, about patient.ID) func(context.Context) error {
	return func(ctx context.Context) error {
		return commands.Desk{Store: b, Staff: b, Now: b.clock}.RevokeUserAuthorisation(ctx,
			commands.RevokeUserAuthorisation{Tenant: tenant, Application: id, Username: username, Patient: about})
	}
}

func (b *bench) passes(d time.Duration) func(context.Context) error {
	return func(context.Context) error { b.now = b.now.Add(d); return nil }
}

func newBench(t *testing.T) *bench {
	t.Helper()
	b := &bench{story: newStory(t), now: noon().Add(345 * time.Millisecond)}
	b.member(t, elm, "dr.lee")
	return b
}

func (b *bench) idOf(t *testing.T, username string) staff.ID {
	t.Helper()
	return made[staff.ID](t)(b.StaffByUsername(t.Context(), elm, username))
}

func TestStandingAuthorisationLifecycle_5_4(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	id := b.application(t, "Referrals", false)
	subject := authorisation.Subject{Staff: b.idOf(t, "dr.lee"), Application: id}
	granted := func(at time.Time) []event.Event {
		return []event.Event{authorisation.Granted{Subject: subject, ExpiresAt: at}}
	}
	var none patient.ID
	b.play(t,
		step{"unknown practice", b.grant(unknownName, id, "dr.lee"), nil, practice.ErrUnknown},
		step{"unknown application", b.grant(elm, unknownApplication, "dr.lee"), nil, application.ErrUnknown},
		step{"unknown user", b.grant(elm, id, unknownName), nil, staff.ErrUnknown},
		step{"another practice's staff", b.grant(oak, id, "dr.lee"), nil, staff.ErrUnknown},
		step{"nothing to revoke", b.revoke(elm, id, "dr.lee", none), nil, authorisation.ErrNone},
		step{"granted for twelve hours, from the whole second", b.grant(elm, id, "dr.lee"), granted(noon().Add(12 * time.Hour)), nil},
		step{"an hour", b.passes(time.Hour), nil, nil},
		step{"granted again, anew", b.grant(elm, id, "dr.lee"), granted(noon().Add(13 * time.Hour)), nil},
		step{"revoked", b.revoke(elm, id, "dr.lee", none), []event.Event{authorisation.Revoked{Subject: subject}}, nil},
		step{"revoked already", b.revoke(elm, id, "dr.lee", none), nil, authorisation.ErrNone},
		step{"granted after that", b.grant(elm, id, "dr.lee"), granted(noon().Add(13 * time.Hour)), nil},
		step{"twelve hours", b.passes(12 * time.Hour), nil, nil},
		step{"what has ended is not revoked", b.revoke(elm, id, "dr.lee", none), nil, authorisation.ErrNone},
		step{"unknown practice revokes", b.revoke(unknownName, id, "dr.lee", none), nil, practice.ErrUnknown},
	)
	if want := noon().Add(13 * time.Hour); !b.until.Equal(want) {
		t.Errorf("the caller is told %s, want %s", b.until, want)
	}
}

func TestPatientScopedGrantNeedsMark_5_5(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	plain, marked := b.application(t, "Diary", false), b.application(t, "Referrals", true)
	ann, theirs := b.patient(t, elm), b.patient(t, oak)
	standing := authorisation.Subject{Staff: b.idOf(t, "dr.lee"), Application: marked}
	scoped := standing
	scoped.Patient = ann
	ends := noon().Add(12 * time.Hour)
	b.play(t,
		step{"not such an integration", b.grantScoped(elm, plain, "dr.lee", ann), nil, application.ErrNotPatientScoped},
		step{"unknown application", b.grantScoped(elm, unknownApplication, "dr.lee", ann), nil, application.ErrUnknown},
		step{"unknown user", b.grantScoped(elm, marked, unknownName, ann), nil, staff.ErrUnknown},
		step{"unknown patient", b.grantScoped(elm, marked, "dr.lee", unknownPatient), nil, patient.ErrUnknown},
		step{"another practice's patient", b.grantScoped(elm, marked, "dr.lee", theirs), nil, patient.ErrUnknown},
		step{"no patient", b.grantScoped(elm, marked, "dr.lee", patient.ID{}), nil, patient.ErrUnknown},
		step{"granted", b.grantScoped(elm, marked, "dr.lee", ann), []event.Event{authorisation.Granted{Subject: scoped, ExpiresAt: ends}}, nil},
		step{"the standing one is another", b.revoke(elm, marked, "dr.lee", patient.ID{}), nil, authorisation.ErrNone},
		step{"which is granted by itself", b.grant(elm, marked, "dr.lee"), []event.Event{authorisation.Granted{Subject: standing, ExpiresAt: ends}}, nil},
		step{"and revoked by itself", b.revoke(elm, marked, "dr.lee", patient.ID{}), []event.Event{authorisation.Revoked{Subject: standing}}, nil},
		step{"the scoped one is revoked", b.revoke(elm, marked, "dr.lee", ann), []event.Event{authorisation.Revoked{Subject: scoped}}, nil},
	)
}
