package projections_test

import (
	"strings"
	"testing"

	"frontdesk/domain/patient"
	"frontdesk/domain/request"
	"frontdesk/projections"
)

// What came since a list was loaded: each request once, page by page, with the filter of the
// list, and without those that a colleague has taken meanwhile.
func TestRequestsSinceAList_D156(t *testing.T) {
	t.Parallel()
	d := newInbox(t)
	d.follow(t, projections.Inbox{})
	loaded, err := d.inbox().Newest(t.Context(), elm)
	if err != nil || loaded == 0 {
		t.Fatalf("the newest is %d, %v", loaded, err)
	}
	for _, s := range []struct {
		name   string
		about  patient.ID
		typ    request.Type
		urgent bool
	}{{"a knee", ann, request.Medical, false}, {"a note", bill, request.Admin, false}, {"a fit", ann, request.Medical, true}, {"a tooth", bill, request.Medical, false}} {
		id := d.asks(t, elm, submitted(s.about, s.typ, s.urgent))
		d.of[s.name], d.names[id] = id, s.name
	}
	d.handled(t, elm, d.of["a tooth"], request.Taken{Patient: bill, By: kim})
	d.handled(t, elm, d.of["a cough"], request.Taken{Patient: bill, By: kim}, request.Given{Patient: bill, From: kim})
	d.refollow(t)
	for _, c := range []struct {
		what string
		projections.InboxFilter
		pages     string
		n, urgent int
	}{
		{"all", projections.InboxFilter{}, "a knee, a note; a fit", 3, 1},
		{"medical", projections.InboxFilter{Type: request.Medical}, "a fit, a knee", 2, 1},
		{"urgent", projections.InboxFilter{Urgent: true}, "a fit", 1, 1},
		{"urgent and admin", projections.InboxFilter{Type: request.Admin, Urgent: true}, "", 0, 0},
	} {
		n, urgent, err := d.inbox().CountSince(t.Context(), elm, c.InboxFilter, loaded)
		if n != c.n || urgent != c.urgent || err != nil {
			t.Errorf("%s: %d came, %d urgent, %v", c.what, n, urgent, err)
		}
		if got := d.since(t, elm, c.InboxFilter, loaded); got != c.pages {
			t.Errorf("%s: %q came, want %q", c.what, got, c.pages)
		}
	}
	if got := d.since(t, oak, projections.InboxFilter{}, loaded); got != "" {
		t.Errorf("%q came to the other practice", got)
	}
}

// since lists what came since, two on a page.
func (d *inboxDay) since(t *testing.T, tenant string, f projections.InboxFilter, idx int64) string {
	t.Helper()
	var pages []string
	for {
		rows, next, err := d.inbox().Since(t.Context(), tenant, f, idx, 2)
		if err != nil {
			t.Fatal(err)
		}
		var names []string
		for _, r := range rows {
			names = append(names, d.names[r.Request])
		}
		pages = append(pages, strings.Join(names, ", "))
		if idx = next; next == 0 {
			return strings.Join(pages, "; ")
		}
	}
}
