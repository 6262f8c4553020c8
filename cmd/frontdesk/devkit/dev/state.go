package dev

import (
	"context"
	"slices"

	"frontdesk.example/client"
	"frontdesk/cmd/frontdesk/devkit/dev/forward"
	"frontdesk/cmd/frontdesk/devkit/dev/page"
	"frontdesk/cmd/frontdesk/devkit/reference"
	"frontdesk/domain/application"
)

const rows = 50 // of each table of the page

// state is the data that the page shows. If no page is followed, it queries the service
// first.
func (d *dev) state(ctx context.Context) page.State {
	if d.turn.TryLock() {
		if d.member != nil && d.last().Away == "" && d.last().looked.Elapsed() > pollInterval {
			d.look(ctx)
		}
		d.turn.Unlock()
	}
	now := d.last()
	signing, next := d.keys.kids()
	s := page.State{
		Name: d.config.Name, KeyDir: d.config.KeyDir, Application: d.identity.Application, KeyFile: d.dir.file(keyName), JWKSURL: d.jwksURL,
		Signing: signing, Next: next, ForwardTo: d.config.ForwardTo, SandboxDir: d.config.SandboxDir, Own: d.proc.own,
		Away: now.Away, Now: d.now(), Clock: now.Clock, About: now.Application, KeySet: now.KeySet, Calls: now.Calls,
		Deliveries: deliveries(d.inbox.Kept(), now.Deliveries), Lines: d.log.newest(), Events: application.WebhookEvents(),
	}
	d.describe(&s)
	return s
}

// describe adds the sandbox's data, if there has been one.
func (d *dev) describe(s *page.State) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.snapshot.Info == nil {
		return
	}
	info := d.snapshot.Info
	s.APIURL, s.DocsURL = info.APIURL+"/transactional-api", info.APIURL+reference.Prefix
	s.TenantID, s.StaffURL = info.TenantID, info.PagesURL()
	s.Examples, _ = reference.Examples(info.Tryable()) // the description is the program's own, and tested
	s.Username, s.Patients, s.Receives = info.Staff.Username, info.Patients, d.snapshot.Receives
}

// deliveries joins the service's records of its webhooks with their outcomes here, newest
// first.
func deliveries(inbox []forward.Webhook, told []client.Delivery) []page.Delivery {
	all := make([]page.Delivery, 0, len(inbox)+len(told))
	here := map[string]int{}
	for _, w := range inbox {
		if id := w.Verified.JTI; id != "" {
			here[id] = len(all)
		}
		all = append(all, page.Delivery{At: w.At, Event: w.Event(), JTI: w.Verified.JTI, Here: &w})
	}
	for _, t := range told {
		if n, known := here[t.JTI]; known {
			all[n].Reported = &t
			continue
		}
		all = append(all, page.Delivery{At: t.HappenedAt, Event: t.Event, JTI: t.JTI, Reported: &t})
	}
	slices.SortStableFunc(all, func(a, b page.Delivery) int { return b.At.Compare(a.At) })
	return all[:min(len(all), rows)]
}
