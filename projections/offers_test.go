package projections_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"frontdesk/domain/application"
	"frontdesk/domain/authorisation"
	"frontdesk/domain/event"
	"frontdesk/domain/practice"
	"frontdesk/domain/staff"
	"frontdesk/projections"
)

func mustDo(t *testing.T, db *pgxpool.Pool, sql string, args ...any) {
	t.Helper()
	_, err := db.Exec(t.Context(), sql, args...)
	must(t, err)
}

// offering is a day with two applications, of which Elm Street has enabled the first.
func offering(t *testing.T) *day {
	t.Helper()
	d := newDay(t)
	for _, c := range append(applicationsLife(), plain(practice.StreamOf(elm), practice.Registered{Name: elm, TimeZone: "Asia/Kathmandu"}),
		plain(practice.EnablementStream(elm, referrals), practice.ApplicationEnabled{Application: referrals}),
		plain(practice.EnablementStream(oak, referrals), practice.ApplicationEnabled{Application: referrals})) {
		d.happens(t, c.stream, c.events...)
	}
	return d
}

func TestOffersAndStakesOfPractice_D89(t *testing.T) {
	t.Parallel()
	d := offering(t)
	offers := projections.Offers{DB: d.pool}
	want := projections.Offer{Application: referrals, Name: "Referrals", Enabled: true, Grants: []application.Grant{submitFor}, Told: []application.WebhookEvent{application.CallInShown}}
	got, err := offers.Of(t.Context(), elm, referrals)
	must(t, err)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if _, err := offers.Of(t.Context(), elm, application.ID{UUID: event.NewID()}); !errors.Is(err, application.ErrUnknown) {
		t.Errorf("an unknown application: %v", err)
	}
	enabled, err := offers.Enabled(t.Context(), elm, projections.Offer{}, 9)
	must(t, err)
	others, err := offers.Others(t.Context(), elm, projections.Offer{}, 9)
	must(t, err)
	later, err := offers.Others(t.Context(), elm, projections.Offer{Name: "Diary", Application: diary}, 9)
	must(t, err)
	if len(enabled) != 1 || enabled[0].Name != "Referrals" || len(others) != 1 || others[0].Name != "Diary" || len(later) != 0 {
		t.Errorf("enabled %v, others %v, after the last %v", enabled, others, later)
	}

	for n, member := range []staff.ID{lee, kim} {
		d.happens(t, staff.StreamOf(elm, member), staff.Registered{Username: fmt.Sprint("user", n), Name: "Somebody"})
		subject := authorisation.Subject{Staff: member, Application: referrals}
		d.happens(t, authorisation.StreamOf(elm, subject), authorisation.Granted{Subject: subject, ExpiresAt: noon.Add(time.Duration(n) * time.Hour)})
	}
	mustDo(t, d.pool, `INSERT INTO deliveries (event, application, idx, tenant, kind, subject, destination, happened_at, not_after, status, finished_at)
		SELECT gen_random_uuid(), w.application, row_number() OVER (), v.tenant, w.event, gen_random_uuid(), w.destination, now(), now(), v.status, v.finished_at::timestamptz
		FROM webhooks w, (VALUES ('elm-street', 'pending', NULL), ('elm-street', 'sending', NULL), ('elm-street', 'delivered', '2026-03-02'), ('oak-lane', 'pending', NULL)) v (tenant, status, finished_at)`)
	stakes, err := offers.Stakes(t.Context(), elm, referrals, noon)
	if must(t, err); stakes != (projections.Stakes{Authorisations: 1, Deliveries: 1}) {
		t.Errorf("at stake are %+v", stakes)
	}
	given, err := projections.GivenAuthorisations{DB: d.pool}.To(t.Context(), elm, referrals, noon, 9)
	if must(t, err); len(given) != 1 || given[0].Username != "user1" {
		t.Errorf("it was given %+v", given)
	}
}

// call is a line of the access record, at an interval after noon.
func (d *day) call(t *testing.T, tenant string, app application.ID, after time.Duration, status int) {
	t.Helper()
	at := noon.Add(after)
	mustDo(t, d.pool, `INSERT INTO access_record (request_id, at, tenant, application, mode, staff, endpoint, status, code, reason, token_hash)
		VALUES ($1, $2, $3, $4, 'user-restricted', $5, 'create-note', $6, '', 'why', '')`, lowest(at), at, tenant, app, lee, status)
}

// busy adds so many calls of the minute after noon.
func (d *day) busy(t *testing.T, tenant string, app application.ID, calls int) {
	t.Helper()
	ids := make([][16]byte, calls)
	for n := range ids {
		ids[n] = lowest(noon.Add(time.Second))
	}
	mustDo(t, d.pool, `INSERT INTO access_record (request_id, at, tenant, application, mode, endpoint, status, code, reason, token_hash)
		SELECT id, $2, $3, $4, 'application-restricted', 'create-note', 200, '', '', '' FROM unnest($1::uuid[]) id`, ids, noon.Add(time.Second), tenant, app)
}

// deliver adds a delivery of an event at an interval after noon.
func (d *day) deliver(t *testing.T, tenant string, after time.Duration, status, reason string) {
	t.Helper()
	at := noon.Add(after)
	mustDo(t, d.pool, `INSERT INTO deliveries (event, application, idx, tenant, kind, subject, destination, happened_at, not_after, status, reason)
		VALUES ($1, $2, 1, $3, 'record.opened', gen_random_uuid(), gen_random_uuid(), $4, $4, $5, nullif($6, ''))`, lowest(at), referrals, tenant, at, status, reason)
}

// lowest is an identifier of an instant.
func lowest(at time.Time) (id [16]byte) {
	id = event.LowestID(at)
	fresh := event.NewID()
	copy(id[8:], fresh[8:])
	return id
}

func TestHealthCountsByHour_D89(t *testing.T) {
	t.Parallel()
	d := offering(t)
	d.happens(t, staff.StreamOf(elm, lee), staff.Registered{Username: "dr.lee", Name: "Dr Lee"})
	for n, status := range []int{200, 200, 403, 503} {
		d.call(t, elm, referrals, -time.Duration(n)*20*time.Minute, status)
	}
	d.call(t, elm, referrals, -25*time.Hour, 200)
	d.call(t, elm, referrals, -8*24*time.Hour, 200)
	d.call(t, elm, diary, 0, 200)
	d.call(t, oak, referrals, 0, 200)
	d.deliver(t, elm, 0, "delivered", "")
	d.deliver(t, elm, 0, "pending", "")
	d.deliver(t, elm, -2*time.Hour, "failed", "http_5xx")
	d.deliver(t, oak, 0, "failed", "http_5xx")
	zone, err := time.LoadLocation("Asia/Kathmandu") // its hours begin at a quarter past in UTC
	must(t, err)
	got, err := projections.Healths{DB: d.pool}.Of(t.Context(), elm, referrals, noon, zone)
	must(t, err)
	quarter := noon.Truncate(time.Hour).Add(-45 * time.Minute)
	call := func(after time.Duration, status int) projections.SeenCall {
		return projections.SeenCall{At: noon.Add(after), Mode: "user-restricted", Endpoint: "create-note", Status: status, Reason: "why", ActedFor: "Dr Lee"}
	}
	want := projections.Health{
		Hours: []projections.HealthHour{
			{At: quarter, Answered: 2, Refused: 1, Delivered: 1},
			{At: quarter.Add(-time.Hour), Failed: 1},
			{At: quarter.Add(-2 * time.Hour), Undelivered: 1},
		},
		Calls:       []projections.SeenCall{call(0, 200), call(-20*time.Minute, 200), call(-25*time.Hour, 200)},
		Refusals:    []projections.SeenCall{call(-40*time.Minute, 403), call(-time.Hour, 503)},
		Undelivered: []projections.SeenDelivery{{At: noon.Add(-2 * time.Hour), Event: application.RecordOpened, Status: "failed", Reason: "http_5xx"}},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}

	health := func(tenant string, app application.ID) projections.Health {
		t.Helper()
		found, err := projections.Healths{DB: d.pool}.Of(t.Context(), tenant, app, noon.Add(time.Minute), zone)
		must(t, err)
		return found
	}
	d.call(t, oak, diary, 0, 200)
	d.busy(t, oak, referrals, 5000)
	if found := health(elm, referrals); len(found.Calls) != 3 {
		t.Errorf("while the application is busy elsewhere, the practice finds %+v", found.Calls)
	}
	if found := health(oak, diary); len(found.Calls) != 1 {
		t.Errorf("while the practice is busy with another, it finds %+v", found.Calls)
	}
	d.busy(t, elm, diary, 5000)
	if found := health(elm, referrals); len(found.Calls) != 0 {
		t.Errorf("more is looked at than is allowed: %+v", found.Calls)
	}
	nobodys, err := projections.Healths{DB: d.pool}.Of(t.Context(), "nobodys", referrals, noon, zone)
	if must(t, err); len(nobodys.Hours)+len(nobodys.Calls)+len(nobodys.Undelivered) > 0 {
		t.Errorf("a practice that is none sees %+v", nobodys)
	}
}

// outage answers queries until the one that fails.
type outage struct {
	projections.Querier
	left int
}

func (o *outage) Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error) {
	if o.left--; o.left < 0 {
		gone, cancel := context.WithCancel(ctx)
		cancel()
		ctx = gone
	}
	return o.Querier.Query(ctx, sql, args...)
}

func TestHealthIsWholeOrAnError(t *testing.T) {
	t.Parallel()
	d := offering(t)
	for n := range 3 {
		if _, err := (projections.Healths{DB: &outage{d.pool, n}}).Of(t.Context(), elm, referrals, noon, time.UTC); !errors.Is(err, context.Canceled) {
			t.Errorf("query %d has failed: %v", n+1, err)
		}
	}
	if _, err := (projections.Healths{DB: &outage{d.pool, 3}}).Of(t.Context(), elm, referrals, noon, time.UTC); err != nil {
		t.Error(err)
	}
}
