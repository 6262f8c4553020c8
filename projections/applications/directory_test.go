package applications_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"frontdesk/domain/application"
	"frontdesk/domain/authorisation"
	"frontdesk/domain/event"
	"frontdesk/domain/staff"
	"frontdesk/projections/applications"
	"frontdesk/projections/projectionstest"
)

func TestDirectoryOfPractice_D89(t *testing.T) {
	t.Parallel()
	d := enabled(t)
	directory := applications.Directory{DB: d.Pool}
	want := applications.Entry{Application: referrals, Name: "Referrals", Enabled: true, Grants: []application.Grant{submitFor}, Webhooks: []application.WebhookEvent{application.CallInShown}}
	got, err := directory.Find(t.Context(), elm, referrals)
	projectionstest.Must(t, err)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if _, err := directory.Find(t.Context(), elm, application.ID{UUID: event.NewID()}); !errors.Is(err, application.ErrUnknown) {
		t.Errorf("an unknown application: %v", err)
	}
	ours, err := directory.Enabled(t.Context(), elm, applications.Entry{}, 9)
	projectionstest.Must(t, err)
	others, err := directory.Others(t.Context(), elm, applications.Entry{}, 9)
	projectionstest.Must(t, err)
	later, err := directory.Others(t.Context(), elm, applications.Entry{Name: "Diary", Application: diary}, 9)
	projectionstest.Must(t, err)
	if len(ours) != 1 || ours[0].Name != "Referrals" || len(others) != 1 || others[0].Name != "Diary" || len(later) != 0 {
		t.Errorf("enabled %v, others %v, after the last %v", ours, others, later)
	}

	for n, member := range []staff.ID{lee, kim} {
		d.Happens(t, staff.StreamOf(elm, member), staff.Registered{Username: fmt.Sprint("user", n), Name: "Somebody"})
		subject := authorisation.Subject{Staff: member, Application: referrals}
		d.grant(t, elm, subject, noon.Add(time.Duration(n)*time.Hour))
	}
	projectionstest.Exec(t, d.Pool, `INSERT INTO deliveries (event, application, idx, tenant, kind, subject, destination, happened_at, not_after, status, finished_at)
		SELECT gen_random_uuid(), w.application, row_number() OVER (), v.tenant, w.event, gen_random_uuid(), w.destination, now(), now(), v.status, v.finished_at::timestamptz
		FROM webhooks w, (VALUES ('elm-street', 'pending', NULL), ('elm-street', 'sending', NULL), ('elm-street', 'delivered', '2026-03-02'), ('oak-lane', 'pending', NULL)) v (tenant, status, finished_at)`)
	impact, err := directory.DisableImpact(t.Context(), elm, referrals, noon)
	if projectionstest.Must(t, err); impact != (applications.DisableImpact{Authorisations: 1, Deliveries: 1}) {
		t.Errorf("the impact is %+v", impact)
	}
	given, err := applications.Authorisations{DB: d.Pool}.GivenTo(t.Context(), elm, referrals, noon, 9)
	if projectionstest.Must(t, err); len(given) != 1 || given[0].Username != "user1" {
		t.Errorf("it was given %+v", given)
	}
}
