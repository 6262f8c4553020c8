//go:build prove

package main_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"time"

	"frontdesk/adapters/clock"
	"frontdesk/commands"
	"frontdesk/domain/application"
	"frontdesk/domain/authorisation"
	"frontdesk/domain/patient"
)

// actsOfOperators are drawn from at random. Acts that allow something are more frequent, so
// that calls reach each of the rules.
var actsOfOperators = []act{
	enable, enable, enable, disable,
	grant, grant, grant, ungrant,
	authorise, authorise, authorise, revoke,
	authoriseOnly, authoriseOnly, authoriseOnly, revokeOnly,
	restrict, lift,
}

// operate changes the application's rights until ctx is done. One act in 50 is cut off.
func (p *practiceAsked) operate(ctx context.Context, client int, plan *rand.Rand) {
	p.allowAll(ctx, client, plan)
	for ctx.Err() == nil {
		c := changed{
			what: actsOfOperators[plan.IntN(len(actsOfOperators))], endpoint: plan.IntN(len(endpointsAsked)-1) + 1,
			user: plan.IntN(staffOfModel), patient: plan.IntN(patientsOfModel),
		}
		if (c.what == grant || c.what == ungrant) && plan.IntN(2) == 0 {
			c.user = nobody
		}
		patience := time.Minute
		if plan.IntN(50) == 0 {
			patience = time.Duration(plan.IntN(6000)) * time.Microsecond
		}
		p.change(ctx, client, c, lifetimeOf(c.user, plan), patience)
		p.rest(ctx, time.Duration(plan.IntN(60))*time.Millisecond)
	}
}

// allowAll enables the application and grants it all endpoints.
func (p *practiceAsked) allowAll(ctx context.Context, client int, plan *rand.Rand) {
	acts := []changed{{what: enable}}
	for endpoint := 1; endpoint < len(endpointsAsked); endpoint++ {
		acts = append(acts, changed{what: grant, endpoint: endpoint, user: nobody}, changed{what: grant, endpoint: endpoint})
	}
	for _, n := range plan.Perm(len(acts)) {
		p.change(ctx, client, acts[n], 0, time.Minute)
	}
}

// change makes a change, by a clock that does not move meanwhile. The end of an authorisation
// is thus known, even if its operator is cut off before the answer.
func (p *practiceAsked) change(ctx context.Context, client int, c changed, lifetime, patience time.Duration) {
	acting, cancel := context.WithTimeout(context.WithoutCancel(ctx), patience)
	defer cancel()
	now := clock.System()
	c.at, c.ends = p.history.at(now), p.history.at(now.UTC().Truncate(time.Second).Add(lifetime))
	desk := p.engine.Desk
	desk.Now, desk.AuthorisationLifetime = func() time.Time { return now }, lifetime
	err := p.acts(acting, desk, c)
	how := done
	switch {
	case errors.Is(err, authorisation.ErrNone):
		how = noneThere
	case err != nil:
		how = unknown
	}
	if how == unknown && acting.Err() == nil {
		p.t.Errorf("%s: %v", c, err)
	}
	p.history.ended(client, c, how)
	p.tally.add(string(c.what) + ": " + string(how))
}

// acts does it through the Desk, as the command line and the staff pages do.
func (p *practiceAsked) acts(ctx context.Context, desk commands.Desk, c changed) error {
	about := p.patients[c.patient]
	switch c.what {
	case enable:
		return desk.EnableApplication(ctx, commands.EnableApplication{Tenant: p.tenant, Application: p.app})
	case disable:
		return desk.DisableApplication(ctx, commands.DisableApplication{Tenant: p.tenant, Application: p.app})
	case grant:
		return desk.GrantEndpoint(ctx, commands.GrantEndpoint{Application: p.app, Grant: c.granted()})
	case ungrant:
		return desk.RevokeEndpoint(ctx, commands.RevokeEndpoint{Application: p.app, Grant: c.granted()})
	case authorise:
		_, err := desk.GrantUserAuthorisation(ctx, commands.GrantUserAuthorisation{
			Tenant: p.tenant, Application: p.app, Username: p.usernames[c.user]})
		return err
	case authoriseOnly:
		_, err := desk.GrantPatientScopedAuthorisation(ctx, commands.GrantPatientScopedAuthorisation{
			Tenant: p.tenant, Application: p.app, Username: p.usernames[c.user], Patient: about})
		return err
	case revoke, revokeOnly:
		if c.what == revoke {
			about = patient.ID{}
		}
		return desk.RevokeUserAuthorisation(ctx, commands.RevokeUserAuthorisation{
			Tenant: p.tenant, Application: p.app, Username: p.usernames[c.user], Patient: about})
	case restrict:
		return desk.RestrictPatientRecord(ctx, commands.RestrictPatientRecord{
			Tenant: p.tenant, Patient: about, Usernames: []string{p.usernames[c.user]}})
	case lift:
		return desk.RestrictPatientRecord(ctx, commands.RestrictPatientRecord{Tenant: p.tenant, Patient: about})
	}
	return errors.New("unknown act: " + string(c.what))
}

func (c changed) granted() application.Grant {
	return application.Grant{
		Endpoint: application.EndpointName(endpointsAsked[c.endpoint].name),
		Mode:     application.Mode(modes[modeOf(c.user)]),
	}
}
