package dev

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"reflect"
	"time"

	"frontdesk.example/client"
	"frontdesk/adapters/clock"
	"frontdesk/cmd/frontdesk/devkit/refusals"
	"frontdesk/cmd/frontdesk/devkit/sandbox"
)

// snapshot is the service's last record of the application.
type snapshot struct {
	looked      clock.Stopwatch // since the service was asked
	Away        string          // why it is unknown; "" while the sandbox answers
	Info        *sandbox.Info   // nil before one was there
	Receives    string          // where webhooks are received
	Clock       time.Duration   // how far the sandbox's clock is ahead of real time
	Application client.Application
	KeySet      client.KeySet
	Calls       []client.JudgedCall
	Deliveries  []client.Delivery
}

const (
	patience  = 10              // polls for which a sandbox of our own may be gone
	joinAgain = 5 * time.Second // after a try
	slowly    = 3               // while no page is open, one poll in this many queries the service
)

var errRemoved = errors.New("the directory of the sandbox that frontdesk dev had started is gone: start it again")

// poll checks whether the sandbox has changed, and registers the application again if it is
// not. It fails if it cannot continue.
func (d *dev) poll(ctx context.Context) error {
	d.turn.Lock()
	defer d.turn.Unlock()
	if err := d.restore(); err != nil {
		return err
	}
	info, err := sandbox.ReadInfo(d.config.SandboxDir)
	if err != nil {
		d.missed++
		d.away("The sandbox in %s has stopped. Start it again (frontdesk sandbox --dir %s), and this goes on.", d.config.SandboxDir, d.config.SandboxDir)
		if d.proc.own && d.missed > patience {
			return errRemoved
		}
		return nil
	}
	d.missed = 0
	d.polls++
	switch {
	case d.member == nil || !reflect.DeepEqual(info, d.member.info):
		return d.enter(ctx, info)
	case d.site.Watched() || d.polls%slowly == 0:
		d.look(ctx)
	}
	return nil
}

// restore restores the application's directory if it was removed.
func (d *dev) restore() error {
	restored, err := d.dir.restore()
	if err != nil {
		return err
	}
	if restored {
		d.log.error("%s was removed. It is there again, with the same key.", d.dir.dir)
	}
	return nil
}

// away logs once why the sandbox cannot be used.
func (d *dev) away(format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	d.mu.Lock()
	known := d.snapshot.Away == text
	d.snapshot.Away = text
	d.mu.Unlock()
	if !known {
		d.log.error("%s", text)
	}
}

// enter registers the application in a new sandbox, or in one that is back.
func (d *dev) enter(ctx context.Context, info sandbox.Info) error {
	first := d.member == nil
	unknown, err := d.join(ctx, info)
	switch {
	case err != nil && first && !unavailable(err):
		return err
	case err != nil:
		d.away("The sandbox does not take the application: %v. Retrying.", err)
		return nil
	case first:
		d.log.info("The sandbox in %s knows the application: enabled, with every grant and every webhook.", d.config.SandboxDir)
	case unknown:
		d.log.info("The sandbox no longer knew the application: registered again, with the same identifier.")
	default:
		d.log.info("The sandbox is there again.")
	}
	d.look(ctx)
	return nil
}

// unavailable reports whether an error may be temporary.
func unavailable(err error) bool {
	return errors.Is(err, context.DeadlineExceeded)
}

// look asks the service about the application.
func (d *dev) look(ctx context.Context) {
	now := d.last()
	now.looked = clock.Start()
	asked, err := d.member.client.Application(ctx)
	refusal, refused := errors.AsType[*client.ServiceError](err)
	switch {
	case refused && refusal.Status == http.StatusForbidden && d.joined.Elapsed() > joinAgain:
		d.rejoin(ctx)
		return
	case err != nil && ctx.Err() == nil:
		d.away("The sandbox does not answer: %v. Retrying.", refusals.Plain(err))
		return
	case err != nil:
		return
	}
	now.Application, now.Away = asked, ""
	d.pollRest(ctx, &now)
	if ctx.Err() == nil {
		d.show(now)
	}
}

// rejoin registers with a sandbox that was reset.
func (d *dev) rejoin(ctx context.Context) {
	unknown, err := d.join(ctx, d.member.info)
	switch {
	case err != nil:
		d.away("The sandbox does not take the application: %v. Retrying.", err)
	case unknown:
		d.log.info("The sandbox no longer knew the application: registered again, with the same identifier.")
	}
}

// pollRest queries all other data. Data without an answer stays as it was.
func (d *dev) pollRest(ctx context.Context, now *snapshot) {
	m := d.member
	if set, err := m.client.KeySet(ctx); err == nil {
		now.KeySet = set
		d.rotated(set)
	}
	if page, err := m.client.CallsPage(ctx, client.CallsQuery{Limit: rows}); err == nil {
		now.Calls = page.Calls
	}
	if page, err := m.client.DeliveriesPage(ctx, client.DeliveriesQuery{Limit: rows}); err == nil {
		now.Deliveries = page.Deliveries
	}
	if remote, err := sandbox.Reach(d.config.SandboxDir); err == nil {
		if at, err := remote.Clock(ctx, ""); err == nil {
			now.Clock = at.Sub(d.config.Now()).Round(time.Second)
		}
	}
}

// rotated signs with the next key once the service holds it.
func (d *dev) rotated(set client.KeySet) {
	var kids []string
	for _, key := range set.Keys {
		kids = append(kids, key.KID)
	}
	kid, err := d.keys.promote(kids)
	if err == nil && kid != "" {
		err = d.announce()
	}
	switch {
	case err != nil:
		d.log.error("The key cannot be changed: %v.", err)
	case kid != "":
		d.log.info("The service holds the next key: tokens are signed with %s from now on. The old key stays published until the next rotation.", kid)
	}
}

func (d *dev) last() snapshot {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.snapshot
}

// now returns the time by the sandbox's clock, as far as it is known. The service's times are of that
// clock, so everything on the page is.
func (d *dev) now() time.Time { return d.config.Now().Add(d.last().Clock) }

// show notifies pages of a change.
func (d *dev) show(now snapshot) {
	d.mu.Lock()
	before := d.snapshot
	d.snapshot = now
	d.mu.Unlock()
	if before.looked = now.looked; !reflect.DeepEqual(before, now) {
		d.changed.Notify()
	}
}
