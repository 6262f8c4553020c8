//go:build prove

package main_test

import (
	"context"
	"crypto/rand"
	"errors"
	mathrand "math/rand/v2"
	"net"
	"net/http"
	"net/url"
	"time"

	"frontdesk/commands"
	"frontdesk/domain/patient"
	"frontdesk/domain/staff"
)

// stoppedOnPages is the member of staff whose authorisations are stopped on the staff pages.
// They last as long as in practice, so that none has expired by the clock of a process, which
// this test cannot see.
const stoppedOnPages = 1

// lifetimeOf is how long the next authorisation of a member of staff lasts.
func lifetimeOf(user int, plan *mathrand.Rand) time.Duration {
	if user == stoppedOnPages {
		return 12 * time.Hour
	}
	return time.Duration(1+plan.IntN(3)) * time.Second
}

// manager is a practice administrator with a browser, whose requests go to any of the
// processes.
type manager struct {
	*practiceAsked
	*browser
	member member
}

// hireManager registers a manager, who may stop the authorisations of all staff.
func (p *practiceAsked) hireManager(ctx context.Context, plan *mathrand.Rand) (manager, error) {
	m := member{Tenant: p.tenant, Username: "manager", Password: "a walnut in the soup " + rand.Text()}
	client := from(nil, "", time.Minute)
	client.Transport = &http.Transport{DisableKeepAlives: true, DialContext: func(ctx context.Context, network, _ string) (net.Conn, error) {
		return (&net.Dialer{}).DialContext(ctx, network, p.replicas[plan.IntN(len(p.replicas))].place.public)
	}}
	_, err := p.engine.Desk.RegisterStaff(ctx, commands.RegisterStaff{
		Tenant: p.tenant, Username: m.Username, Name: m.Username, Email: m.Username + "@example.org", Password: m.Password, Roles: staff.Roles{staff.Manager},
	})
	return manager{p, newBrowser(p.tenant, client), m}, err
}

// manage stops authorisations on the pages until ctx is done. If the process is killed
// meanwhile, the result is unknown.
func (m manager) manage(ctx context.Context, client int, plan *mathrand.Rand) {
	for ctx.Err() == nil && !m.ready(ctx) {
		m.rest(ctx, 50*time.Millisecond)
	}
	for ctx.Err() == nil {
		c := changed{what: revoke, user: stoppedOnPages, patient: plan.IntN(patientsOfModel)}
		if plan.IntN(2) == 0 {
			c.what = revokeOnly
		}
		c.at = m.history.now()
		if how := m.stop(context.WithoutCancel(ctx), c); how != notMade {
			m.history.ended(client, c, how)
			m.tally.add(string(c.what) + ", on the pages: " + string(how))
		}
		m.rest(ctx, time.Duration(plan.IntN(100))*time.Millisecond)
	}
}

// notMade is the ending of an act whose process was not running.
const notMade ending = "not made"

func (m manager) stop(ctx context.Context, c changed) ending {
	about := patient.ID{}
	if c.what == revokeOnly {
		about = m.patients[c.patient]
	}
	status, err := m.send(ctx, "/authorisations", url.Values{
		"application": {m.app.String()}, "patient": {about.String()}, "username": {m.usernames[c.user]},
	})
	switch {
	case notThere(err):
		return notMade
	case err == nil && status == http.StatusSeeOther:
		return doneIfAny
	case err == nil && status != http.StatusServiceUnavailable:
		m.t.Errorf("the page to stop an authorisation answered %d", status)
	}
	return unknown
}

// notThere reports whether nothing was sent, because no connection was made.
func notThere(err error) bool {
	failed, ok := errors.AsType[*net.OpError](err)
	return ok && failed.Op == "dial"
}

// ready signs in, and reloads the page until it has a form.
func (m manager) ready(ctx context.Context) bool {
	if status, err := m.get(ctx, "/authorisations"); err == nil && status == http.StatusOK {
		return m.filled("/authorisations", nil).Has("token")
	}
	if _, err := m.get(ctx, "/sign-in"); err == nil {
		_, _ = m.send(ctx, "/sign-in", m.member.signIn())
	}
	return false
}
