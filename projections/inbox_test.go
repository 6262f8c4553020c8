package projections_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"frontdesk/domain/event"
	"frontdesk/domain/patient"
	"frontdesk/domain/request"
	"frontdesk/domain/staff"
	"frontdesk/projections"
)

// submitted is a patient's request of these tests.
func submitted(about patient.ID, typ request.Type, urgent bool) request.Submitted {
	return request.Submitted{
		Patient: about, Type: typ, Requester: request.ByPatient, HighPriority: urgent,
		Response: []request.Answer{{Question: "requestDetails", Answer: "a letter"}},
	}
}

// asks submits a request, and returns its identifier.
func (d *day) asks(t *testing.T, tenant string, s request.Submitted) request.ID {
	t.Helper()
	id := request.ID{UUID: event.NewID()}
	d.happened(t.Context(), t, tenant, id.UUID, 0, s)
	return id
}

// handled appends an event to a request.
func (d *day) handled(t *testing.T, tenant string, id request.ID, events ...event.Event) {
	t.Helper()
	var version int
	if err := d.Pool.QueryRow(t.Context(), `SELECT max(version) FROM events WHERE stream = $1`, id).Scan(&version); err != nil {
		t.Fatal(err)
	}
	d.happened(as(t.Context(), event.Staff(lee.UUID)), t, tenant, id.UUID, version, events...)
}

// inboxDay is a practice with two members of staff, two patients and six requests, which
// have names here.
type inboxDay struct {
	*day
	of    map[string]request.ID
	names map[request.ID]string
}

// refollow fills the inbox again from the whole log.
func (d *inboxDay) refollow(t *testing.T) {
	t.Helper()
	if _, err := d.Pool.Exec(t.Context(), `DELETE FROM inbox`); err != nil {
		t.Fatal(err)
	}
	d.follow(t, projections.Inbox{})
}

func newInbox(t *testing.T) *inboxDay {
	t.Helper()
	d := &inboxDay{day: peopled(t), of: map[string]request.ID{}, names: map[request.ID]string{}}
	d.happened(t.Context(), t, elm, kim.UUID, 0, staff.Registered{Username: "kim", Name: "Kim Reed", Email: "kim@elm.example"})
	d.happened(t.Context(), t, oak, patient.StreamOf(oak, ann).ID, 0, patient.Registered{Patient: ann, Name: "Ann of Oak Lane"})
	d.asks(t, oak, submitted(ann, request.Admin, true))
	byProxy := submitted(ann, request.Admin, false)
	byProxy.Requester, byProxy.Proxy = request.ByProxy, &request.Proxy{FirstName: "Bea", LastName: "Archer", RelationshipToPatient: "mother"}
	byProxy.Attachments = []request.Attachment{keptFile(t, d.day)}
	for _, s := range []struct {
		name string
		request.Submitted
	}{
		{"a letter", byProxy},
		{"a cough", submitted(bill, request.Medical, false)},
		{"a fall", submitted(bill, request.Medical, true)},
		{"a form", submitted(ann, request.Admin, true)},
		{"a rash", submitted(ann, request.Medical, false)},
		{"a bill", submitted(bill, request.Admin, false)},
	} {
		id := d.asks(t, elm, s.Submitted)
		d.of[s.name], d.names[id] = id, s.name
	}
	return d
}

func (d *inboxDay) inbox() projections.Inbox { return projections.Inbox{DB: d.Pool} }

// listed returns the names of the requests in a list, page by page. The neighbours of each
// are those before and behind it.
func (d *inboxDay) listed(t *testing.T, tenant string, f projections.InboxFilter) string {
	t.Helper()
	var names []string
	var all []projections.InboxRow
	if f.Today == "" {
		f.Today = today
	}
	for {
		rows, next, err := d.inbox().Page(t.Context(), tenant, f, 2)
		if err != nil || len(rows) > 2 {
			t.Fatalf("%d rows, %v", len(rows), err)
		}
		for _, r := range rows {
			names = append(names, d.names[r.Request])
		}
		all = append(all, rows...)
		if f.After = next; next == (projections.InboxPlace{}) {
			d.wantNeighbours(t, tenant, f, all)
			return strings.Join(names, ", ")
		}
	}
}

func (d *inboxDay) wantNeighbours(t *testing.T, tenant string, f projections.InboxFilter, all []projections.InboxRow) {
	t.Helper()
	at := func(n int) request.ID {
		if n < 0 || n >= len(all) {
			return request.ID{}
		}
		return all[n].Request
	}
	for n, r := range all {
		f.After = r.Place()
		before, behind, err := d.inbox().Neighbours(t.Context(), tenant, f)
		if before != at(n-1) || behind != at(n+1) || err != nil {
			t.Errorf("%+v: the neighbours of %s are %s and %s, %v", f, d.names[r.Request], d.names[before], d.names[behind], err)
		}
	}
}

func TestInboxListsUrgentFirst_D83(t *testing.T) {
	t.Parallel()
	d := newInbox(t)
	d.handled(t, elm, d.of["a fall"], request.Taken{Patient: bill, By: lee})
	d.handled(t, elm, d.of["a cough"], request.Given{Patient: bill, To: kim})
	d.handled(t, elm, d.of["a bill"], request.Taken{Patient: bill, By: kim}, request.Completed{Patient: bill, By: kim, Outcome: request.Replied})
	d.handled(t, elm, d.of["a rash"], request.Completed{Patient: ann, By: lee, Outcome: request.Signposted, Text: "rang"}, request.EnteredInError{Patient: ann, Reason: "twice"})
	d.follow(t, projections.Inbox{})
	for _, c := range []struct {
		what string
		projections.InboxFilter
		want string
	}{
		{"new", projections.InboxFilter{Tab: projections.InboxNew}, "a form, a letter"},
		{"new and medical", projections.InboxFilter{Tab: projections.InboxNew, Type: request.Medical}, ""},
		{"new and urgent", projections.InboxFilter{Tab: projections.InboxNew, Urgent: true}, "a form"},
		{"lee's", projections.InboxFilter{Tab: projections.InboxMine, Member: lee}, "a fall"},
		{"kim's", projections.InboxFilter{Tab: projections.InboxMine, Member: kim}, "a cough"},
		{"no member's", projections.InboxFilter{Tab: projections.InboxMine}, ""},
		{"open", projections.InboxFilter{Tab: projections.InboxOpen}, "a fall, a cough"},
		{"done", projections.InboxFilter{Tab: projections.InboxDone}, "a rash, a bill"},
		{"done and admin", projections.InboxFilter{Tab: projections.InboxDone, Type: request.Admin}, "a bill"},
		{"done and urgent", projections.InboxFilter{Tab: projections.InboxDone, Urgent: true}, ""},
	} {
		if got := d.listed(t, elm, c.InboxFilter); got != c.want {
			t.Errorf("%s: %s, want %s", c.what, got, c.want)
		}
	}
	if got := d.listed(t, oak, projections.InboxFilter{Tab: projections.InboxNew}); got != "" {
		t.Errorf("another practice sees %s", got) // the practice's own request has no name here
	}
	counts, err := d.inbox().Counts(t.Context(), elm, kim, today)
	want := map[projections.InboxTab]int{projections.InboxNew: 2, projections.InboxMine: 1, projections.InboxOpen: 2, projections.InboxLater: 0, projections.InboxDone: 2}
	if diff := cmp.Diff(want, counts); err != nil || diff != "" {
		t.Errorf("%v, counted (-want +got):\n%s", err, diff)
	}
	d.wantRows(t)
	d.handled(t, elm, d.of["a bill"], request.Reopened{Patient: bill, By: lee, Reason: "again"}, request.UrgencyChanged{Patient: bill, Urgent: true})
	d.handled(t, elm, d.of["a form"], request.UrgencyChanged{Patient: ann})
	d.refollow(t)
	if open, fresh := d.listed(t, elm, projections.InboxFilter{Tab: projections.InboxMine, Member: lee}), d.listed(t, elm, projections.InboxFilter{Tab: projections.InboxNew}); open != "a fall, a bill" || fresh != "a letter, a form" {
		t.Errorf("reopened: %s; not urgent: %s", open, fresh)
	}
}

// wantRows checks the columns of rows.
func (d *inboxDay) wantRows(t *testing.T) {
	t.Helper()
	rows, _, err := d.inbox().Page(t.Context(), elm, projections.InboxFilter{Tab: projections.InboxDone, Today: today}, 1)
	if err != nil || len(rows) != 1 || rows[0].DoneAt == nil || !rows[0].DoneAt.Equal(d.At) || rows[0].Outcome != request.Signposted || rows[0].HolderName != "Dr Lee" || !rows[0].InError {
		t.Errorf("done: %+v, %v", rows, err)
	}
	rows, _, err = d.inbox().Page(t.Context(), elm, projections.InboxFilter{Tab: projections.InboxNew, Type: request.Admin, Today: today}, 2)
	if err != nil {
		t.Fatal(err)
	}
	want := projections.InboxRow{Request: d.of["a letter"], Patient: ann, Type: request.Admin, ByProxy: true, Files: 1, SubmittedAt: rows[1].SubmittedAt, Idx: rows[1].Idx}
	if diff := cmp.Diff(want, rows[1]); diff != "" {
		t.Errorf("row (-want +got):\n%s", diff)
	}
}
