package auditing

import (
	"context"
	"fmt"
	"maps"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"frontdesk/adapters/postgres/retention"
	"frontdesk/adapters/postgres/verification"
	"frontdesk/adapters/webhooks"
	"frontdesk/domain/application"
	"frontdesk/domain/audit"
	"frontdesk/domain/event"
	"frontdesk/domain/practice"
)

// DeliveryCheck compares the record of deliveries with the log: each delivery belongs to an
// event, and to an application that had an address and was enabled; none is missing, and none
// is there twice.
//
// The fan-out comes some time after the event, and uses the registrations of then. So an
// application that comes or goes within a day after an event may have its delivery or not.
type DeliveryCheck struct {
	Auditor
	addresses map[uuid.UUID]map[application.WebhookEvent]bool // by application
	enabled   map[string]map[uuid.UUID]bool                   // by practice
	waiting   []*notified                                     // in the order of the log
	handled   int64                                           // the fan-out has come so far
	archived  time.Time                                       // deliveries before it are in archives
	compared  int64
}

// notified is an event of which applications are notified.
type notified struct {
	event.Stored
	webhooks.Audience
	must, may map[uuid.UUID]bool // applications that must have a delivery, and those that may
}

const (
	fanOutLimit  = 24 * time.Hour // the fan-out is that late at most
	comparedOnce = 1000           // events
)

// VerifyDeliveries prepares the comparison of deliveries.
func (a Auditor) VerifyDeliveries(ctx context.Context) (*DeliveryCheck, error) {
	c := &DeliveryCheck{Auditor: a, addresses: map[uuid.UUID]map[application.WebhookEvent]bool{}, enabled: map[string]map[uuid.UUID]bool{}}
	var archived *time.Time
	err := a.Pool.QueryRow(ctx, `SELECT coalesce((SELECT idx FROM feed_offsets WHERE consumer = $1), 0), (SELECT max(until) FROM archives WHERE record = $2)`,
		webhooks.FanOutName, retention.Delivered).Scan(&c.handled, &archived)
	if err != nil {
		return nil, fmt.Errorf("read how far deliveries have come: %w", err)
	}
	if archived != nil {
		c.archived = archived.UTC()
	}
	return c, nil
}

// Page follows the registrations, and compares the deliveries of events that are old enough.
func (c *DeliveryCheck) Page(ctx context.Context, page []event.Stored, found *verification.Result) error {
	for _, s := range page {
		e, err := c.Log.Codec.Join(s, nil)
		if err != nil {
			return err
		}
		c.follow(e)
		if to, tells := webhooks.AudienceOf(e.Event); tells && s.Idx <= c.handled {
			c.waiting = append(c.waiting, c.notify(s, to))
		}
	}
	due := 0
	for due < len(c.waiting) && c.waiting[due].At.Add(fanOutLimit).Before(page[len(page)-1].At) {
		due++
	}
	return c.compareFirst(ctx, due, found)
}

// notify returns an event with the applications that have an address at the moment.
func (c *DeliveryCheck) notify(s event.Stored, to webhooks.Audience) *notified {
	n := &notified{Stored: s, Audience: to, must: map[uuid.UUID]bool{}}
	for app, kinds := range c.addresses {
		if kinds[to.Address] && c.enabled[s.Stream.Tenant][app] && (to.Only == uuid.Nil || to.Only == app) {
			n.must[app] = true
		}
	}
	n.may = maps.Clone(n.must)
	return n
}

// follow applies a change of the registrations.
func (c *DeliveryCheck) follow(r event.Recorded) {
	switch e := r.Event.(type) {
	case application.WebhookSet:
		if c.addresses[r.Stream.ID] == nil {
			c.addresses[r.Stream.ID] = map[application.WebhookEvent]bool{}
		}
		c.addresses[r.Stream.ID][e.Event] = true
		c.changed(r.Stream.ID)
	case application.WebhookRemoved:
		delete(c.addresses[r.Stream.ID], e.Event)
		c.changed(r.Stream.ID)
	case practice.ApplicationEnabled:
		if c.enabled[r.Stream.Tenant] == nil {
			c.enabled[r.Stream.Tenant] = map[uuid.UUID]bool{}
		}
		c.enabled[r.Stream.Tenant][e.Application.UUID] = true
		c.changed(e.Application.UUID)
	case practice.ApplicationDisabled:
		delete(c.enabled[r.Stream.Tenant], e.Application.UUID)
		c.changed(e.Application.UUID)
	}
}

// changed notes for the events of the last day that an application has come or gone.
func (c *DeliveryCheck) changed(app uuid.UUID) {
	for _, n := range c.waiting {
		if c.addresses[app][n.Address] && c.enabled[n.Stream.Tenant][app] && (n.Only == uuid.Nil || n.Only == app) {
			n.may[app] = true
		} else {
			delete(n.must, app)
		}
	}
}

// End compares the rest, and looks for deliveries of nothing.
func (c *DeliveryCheck) End(ctx context.Context, found *verification.Result) error {
	if err := c.compareFirst(ctx, len(c.waiting), found); err != nil {
		return err
	}
	if err := c.strays(ctx, found); err != nil {
		return err
	}
	found.Delivered = &c.compared
	if !c.archived.IsZero() {
		found.Uncheck("deliveries before %s: they are in archives", c.archived.Format(time.DateOnly))
	}
	return c.inArchives(ctx, found)
}

func (c *DeliveryCheck) compareFirst(ctx context.Context, n int, found *verification.Result) error {
	for n > 0 {
		some := c.waiting[:min(n, comparedOnce)]
		if err := c.compare(ctx, some, found); err != nil {
			return err
		}
		c.waiting, n = c.waiting[len(some):], n-len(some)
	}
	return nil
}

const deliveriesOf = `
SELECT event, application, idx, tenant, kind FROM deliveries WHERE event = ANY ($1)
UNION ALL SELECT event, application, idx, tenant, kind FROM delivered WHERE event = ANY ($1)`

// compare compares the deliveries of some events.
func (c *DeliveryCheck) compare(ctx context.Context, some []*notified, found *verification.Result) error {
	ids, of := make([]uuid.UUID, len(some)), map[uuid.UUID]*notified{}
	for i, n := range some {
		ids[i], of[n.ID] = n.ID, n
	}
	type row struct {
		ID, Application uuid.UUID
		Idx             int64
		Tenant, Kind    string
	}
	rows, _ := c.Pool.Query(ctx, deliveriesOf, ids)
	all, err := pgx.CollectRows(rows, pgx.RowToStructByPos[row])
	if err != nil {
		return fmt.Errorf("read deliveries: %w", err)
	}
	seen := map[uuid.UUID]map[uuid.UUID]bool{}
	for _, d := range all {
		c.compared++
		n := of[d.ID]
		switch {
		case seen[d.ID][d.Application]:
			n.differs(found, d.Application, "is there twice")
		case d.Idx != n.Idx, d.Tenant != n.Stream.Tenant, d.Kind != string(n.Kind):
			n.differs(found, d.Application, "names another place in the log, another practice or another kind")
		case !n.may[d.Application]:
			n.differs(found, d.Application, "is of an application that had no address for it, or was not enabled")
		}
		if seen[d.ID] == nil {
			seen[d.ID] = map[uuid.UUID]bool{}
		}
		seen[d.ID][d.Application] = true
	}
	return c.missing(ctx, some, seen, found)
}

// passedOver finds the events that the fan-out has passed over: it has parked them, or their
// patient was erased.
const passedOver = `
SELECT w.id FROM unnest($1::uuid[], $2::bigint[], $3::text[], $4::uuid[]) AS w (id, idx, tenant, patient)
WHERE EXISTS (SELECT FROM parked_events p WHERE p.consumer = $5 AND p.idx = w.idx)
	OR EXISTS (SELECT FROM erasures g WHERE g.tenant = w.tenant AND g.kind = 1 AND g.holder = w.patient)`

// missing finds deliveries that must be there and are not.
func (c *DeliveryCheck) missing(ctx context.Context, some []*notified, seen map[uuid.UUID]map[uuid.UUID]bool, found *verification.Result) error {
	var lacking []*notified
	for _, n := range some {
		for app := range n.must {
			if seen[n.ID][app] || retention.InstantOf(n.ID).Before(c.archived) {
				delete(n.must, app)
			}
		}
		if len(n.must) > 0 {
			lacking = append(lacking, n)
		}
	}
	if len(lacking) == 0 {
		return nil
	}
	var ids, patients []uuid.UUID
	var idx []int64
	var tenants []string
	for _, n := range lacking {
		ids, idx, tenants, patients = append(ids, n.ID), append(idx, n.Idx), append(tenants, n.Stream.Tenant), append(patients, n.Patient)
	}
	rows, _ := c.Pool.Query(ctx, passedOver, ids, idx, tenants, patients, webhooks.FanOutName)
	passed, err := pgx.CollectRows(rows, pgx.RowTo[uuid.UUID])
	if err != nil {
		return fmt.Errorf("look why deliveries are missing: %w", err)
	}
	over := map[uuid.UUID]bool{}
	for _, id := range passed {
		over[id] = true
	}
	for _, n := range lacking {
		for app := range n.must {
			if !over[n.ID] {
				n.differs(found, app, "is missing")
			}
		}
	}
	return nil
}

func (n *notified) differs(found *verification.Result, app uuid.UUID, what string) {
	found.Add(verification.Finding{Check: verification.Deliveries, Tenant: n.Stream.Tenant, Idx: n.Idx, Count: 1},
		"the delivery of idx %d at %s to the application %s %s", n.Idx, n.Stream.Tenant, app, what)
}

// straysAfter finds deliveries that belong to no event in the log, or to one that no
// application is notified of. Deliveries are read in the order of their key, some at a time.
const straysAfter = `
SELECT d.event, d.application, d.tenant, e.id IS NULL OR e.name <> ALL ($3)
FROM (SELECT event, application, idx, tenant FROM delivery_log WHERE (event, application) > ($1, $2) ORDER BY event, application LIMIT $4) d
LEFT JOIN LATERAL (SELECT e.id, e.name FROM log l JOIN events e USING (position) WHERE l.idx = d.idx AND e.id = d.event LIMIT 1) e ON true
ORDER BY d.event, d.application`

func (c *DeliveryCheck) strays(ctx context.Context, found *verification.Result) error {
	var names []string
	for _, e := range (webhooks.FanOut{}).Follows() {
		names = append(names, e.EventName())
	}
	for last := [2]uuid.UUID{}; ; {
		rows, _ := c.Pool.Query(ctx, straysAfter, last[0], last[1], names, comparedOnce)
		n, tenant, stray := 0, "", false
		_, err := pgx.ForEachRow(rows, []any{&last[0], &last[1], &tenant, &stray}, func() error {
			if n++; stray {
				found.Add(verification.Finding{Check: verification.Deliveries, Tenant: tenant, Count: 1},
					"the delivery of the event %s at %s to the application %s belongs to nothing in the log", last[0], tenant, last[1])
			}
			return nil
		})
		if err != nil {
			return fmt.Errorf("look for deliveries of nothing: %w", err)
		}
		if n < comparedOnce {
			return nil
		}
	}
}

// inArchives finds archives of deliveries that the log does not know.
func (c *DeliveryCheck) inArchives(ctx context.Context, found *verification.Result) error {
	rows, _ := c.Pool.Query(ctx, `SELECT name FROM archives WHERE record = $1 AND archived_at IS NOT NULL`, retention.Delivered)
	names, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		return fmt.Errorf("list archives: %w", err)
	}
	for _, name := range names {
		var known bool
		at := audit.StreamOfArchive(name)
		if err := c.Pool.QueryRow(ctx, `SELECT EXISTS (SELECT FROM events WHERE stream = $1 AND tenant = $2)`, at.ID, at.Tenant).Scan(&known); err != nil {
			return fmt.Errorf("look for the event of an archive: %w", err)
		}
		if !known {
			found.Add(verification.Finding{Check: verification.Deliveries, Count: 1}, "no event says that %s was archived, and its deliveries are not here", name)
		}
	}
	return nil
}
