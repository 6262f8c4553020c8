package auditing_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"frontdesk/commands"
	"frontdesk/domain/access"
	"frontdesk/domain/application"
	"frontdesk/domain/fault"
	"frontdesk/domain/request"
)

var townModes = []application.Mode{application.UserRestricted, application.ApplicationRestricted}

// callers is how many call at once.
const callers = 16

// live makes the given number of calls with sound tokens, concurrently, and some faulty ones
// in between. Meanwhile things change, and time passes.
func (w *town) live(t *testing.T, calls int64, seed uint64) {
	t.Helper()
	var left atomic.Int64
	left.Store(calls)
	var group sync.WaitGroup
	for n := range uint64(callers) {
		group.Go(func() {
			if err := (caller{w, rand.New(rand.NewPCG(seed, n))}).live(t.Context(), &left); err != nil {
				t.Error(err)
			}
		})
	}
	group.Wait()
}

func (c caller) live(ctx context.Context, left *atomic.Int64) (err error) {
	for left.Load() > 0 && err == nil {
		switch n := c.random.IntN(50); {
		case n < 2:
			c.pass()
		case n < 5:
			err = c.change(ctx)
		case n < 9:
			err = c.call(ctx, false)
		case left.Add(-1) >= 0:
			err = c.call(ctx, true)
		}
	}
	return err
}

// pass advances the clock once no call is under way. It advances by more than the second
// within which the order of a call and a change may be wrong.
func (c caller) pass() {
	c.moving.Lock()
	defer c.moving.Unlock()
	c.clock.Pass(one(c.random, 2*time.Second, time.Minute, 20*time.Minute))
}

// change changes one thing that calls depend on, if its rule lets it.
func (c caller) change(ctx context.Context) error {
	c.moving.RLock()
	defer c.moving.RUnlock()
	change := caller.changePractice
	switch c.random.IntN(5) {
	case 0, 1:
		change = caller.authorise
	case 2, 3:
		change = caller.changeAccess
	}
	err := change(c, ctx, one(c.random, townTenants...), one(c.random, townStaff...))
	if _, refused := errors.AsType[*fault.Error](err); refused {
		return nil
	}
	return err
}

// authorise gives an authorisation or, less often, takes one back.
func (c caller) authorise(ctx context.Context, tenant, username string) error {
	id, about := one(c.random, c.applications...).ID, one(c.random, c.practices[tenant].patients...)
	switch c.random.IntN(4) {
	case 0:
		return c.Desk.RevokeUserAuthorisation(ctx, commands.RevokeUserAuthorisation{Tenant: tenant, Application: id, Username: username})
	case 1:
		_, err := c.Desk.GrantPatientScopedAuthorisation(ctx, commands.GrantPatientScopedAuthorisation{Tenant: tenant, Application: id, Username: username, Patient: about})
		return err
	}
	_, err := c.Desk.GrantUserAuthorisation(ctx, commands.GrantUserAuthorisation{Tenant: tenant, Application: id, Username: username})
	return err
}

// changeAccess changes the rights of an application, the restriction of a record, or the
// staff of the practice.
func (c caller) changeAccess(ctx context.Context, tenant, username string) error {
	id, about := one(c.random, c.applications...).ID, one(c.random, c.practices[tenant].patients...)
	grant := application.Grant{Endpoint: one(c.random, access.Grantable()...), Mode: one(c.random, townModes...)}
	switch c.random.IntN(16) {
	case 0, 1:
		return c.Desk.DisableApplication(ctx, commands.DisableApplication{Tenant: tenant, Application: id})
	case 2, 3, 4, 5:
		return c.Desk.EnableApplication(ctx, commands.EnableApplication{Tenant: tenant, Application: id})
	case 6, 7, 8:
		return c.Desk.RevokeEndpoint(ctx, commands.RevokeEndpoint{Application: id, Grant: grant})
	case 9, 10, 11:
		return c.Desk.GrantEndpoint(ctx, commands.GrantEndpoint{Application: id, Grant: grant})
	case 12:
		return c.Desk.DeactivateStaff(ctx, commands.DeactivateStaff{Tenant: tenant, Username: username})
	case 13:
		_, err := c.Desk.ReactivateStaff(ctx, commands.ReactivateStaff{Tenant: tenant, Username: username})
		return err
	}
	return c.Desk.RestrictPatientRecord(ctx, commands.RestrictPatientRecord{Tenant: tenant, Patient: about, Usernames: townStaff[:c.random.IntN(2)]})
}

// changePractice changes the requests that the practice accepts, which explanations ignore.
func (c caller) changePractice(ctx context.Context, tenant, _ string) error {
	switch c.random.IntN(7) {
	case 0:
		return c.Desk.PauseRequestType(ctx, commands.PauseRequestType{Tenant: tenant, RequestType: request.Admin, Until: c.clock.Now().Add(time.Hour)})
	case 1:
		return c.Desk.ResumeRequestType(ctx, commands.ResumeRequestType{Tenant: tenant, RequestType: request.Admin})
	case 2:
		return c.Desk.SwitchRequestTypeOff(ctx, commands.SwitchRequestTypeOff{Tenant: tenant, RequestType: request.Admin})
	case 3, 4:
		return c.Desk.SwitchRequestTypeOn(ctx, commands.SwitchRequestTypeOn{Tenant: tenant, RequestType: request.Admin})
	case 5:
		return c.Desk.ReopenPractice(ctx, commands.ReopenPractice{Tenant: tenant})
	}
	return c.Desk.ClosePractice(ctx, commands.ClosePractice{Tenant: tenant, Until: c.clock.Now().Add(time.Hour)})
}
