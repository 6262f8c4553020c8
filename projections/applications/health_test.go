package applications_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"

	"frontdesk/domain/application"
	"frontdesk/domain/staff"
	"frontdesk/projections"
	"frontdesk/projections/applications"
	"frontdesk/projections/projectionstest"
)

func TestHealthCountsByHour_D89(t *testing.T) {
	t.Parallel()
	d := enabled(t)
	d.Happens(t, staff.StreamOf(elm, lee), staff.Registered{Username: "dr.lee", Name: "Dr Lee"})
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
	projectionstest.Must(t, err)
	got, err := applications.Monitor{DB: d.Pool}.Health(t.Context(), elm, referrals, noon, zone)
	projectionstest.Must(t, err)
	quarter := noon.Truncate(time.Hour).Add(-45 * time.Minute)
	call := func(after time.Duration, status int) applications.RecentCall {
		return applications.RecentCall{At: noon.Add(after), Mode: "user-restricted", Endpoint: "create-note", Status: status, Reason: "why", ActedFor: "Dr Lee"}
	}
	want := applications.Health{
		Hours: []applications.Hour{
			{At: quarter, Answered: 2, Refused: 1, Delivered: 1},
			{At: quarter.Add(-time.Hour), Failed: 1},
			{At: quarter.Add(-2 * time.Hour), Undelivered: 1},
		},
		Calls:       []applications.RecentCall{call(0, 200), call(-20*time.Minute, 200), call(-25*time.Hour, 200)},
		Refusals:    []applications.RecentCall{call(-40*time.Minute, 403), call(-time.Hour, 503)},
		Undelivered: []applications.FailedDelivery{{At: noon.Add(-2 * time.Hour), Event: application.RecordOpened, Status: "failed", Reason: "http_5xx"}},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}

	health := func(tenant string, app application.ID) applications.Health {
		t.Helper()
		found, err := applications.Monitor{DB: d.Pool}.Health(t.Context(), tenant, app, noon.Add(time.Minute), zone)
		projectionstest.Must(t, err)
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
	nobodys, err := applications.Monitor{DB: d.Pool}.Health(t.Context(), "nobodys", referrals, noon, zone)
	if projectionstest.Must(t, err); len(nobodys.Hours)+len(nobodys.Calls)+len(nobodys.Undelivered) > 0 {
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

func TestHealthIsCompleteOrAnError(t *testing.T) {
	t.Parallel()
	d := enabled(t)
	for n := range 3 {
		if _, err := (applications.Monitor{DB: &outage{d.Pool, n}}).Health(t.Context(), elm, referrals, noon, time.UTC); !errors.Is(err, context.Canceled) {
			t.Errorf("query %d has failed: %v", n+1, err)
		}
	}
	if _, err := (applications.Monitor{DB: &outage{d.Pool, 3}}).Health(t.Context(), elm, referrals, noon, time.UTC); err != nil {
		t.Error(err)
	}
}
