package projections_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"frontdesk/domain/request"
	"frontdesk/domain/staff"
	"frontdesk/projections"
)

const (
	today    = "2026-03-02" // of these tests
	tomorrow = "2026-03-03"
)

var (
	gps    = staff.TeamID{UUID: uuid.MustParse("0190c7a2-0000-7000-8000-0000000000f1")}
	nurses = staff.TeamID{UUID: uuid.MustParse("0190c7a2-0000-7000-8000-0000000000f2")}
)

// withTeams is the inbox of a practice in which lee and kim are GPs, and kim alone is a nurse.
func withTeams(t *testing.T) *inboxDay {
	t.Helper()
	d := newInbox(t)
	d.happened(t.Context(), t, elm, staff.TeamStream(elm).ID, 0,
		staff.TeamSet{Team: gps, Name: "GPs", Members: []staff.ID{lee, kim}}, staff.TeamSet{Team: nurses, Name: "Nurses", Members: []staff.ID{kim}})
	return d
}

func (d *inboxDay) wantListed(t *testing.T, tab projections.InboxTab, member staff.ID, day, want string) {
	t.Helper()
	if got := d.listed(t, elm, projections.InboxFilter{Tab: tab, Member: member, Today: day}); got != want {
		t.Errorf("%s of %s on %s: %s, want %s", tab, member, day, got, want)
	}
}

// Each member sees what their teams have, and the counts agree with the lists.
func TestTeamsRequestsAreItsMembers_D164(t *testing.T) {
	t.Parallel()
	d := withTeams(t)
	d.handled(t, elm, d.of["a fall"], request.GivenToTeam{Patient: bill, Team: gps})
	d.handled(t, elm, d.of["a cough"], request.GivenToTeam{Patient: bill, Team: nurses})
	d.handled(t, elm, d.of["a bill"], request.Taken{Patient: bill, By: lee})
	d.follow(t, projections.Inbox{})
	d.wantListed(t, projections.InboxMine, lee, today, "a fall, a bill")
	d.wantListed(t, projections.InboxMine, kim, today, "a fall, a cough")
	d.wantListed(t, projections.InboxNew, kim, today, "a form, a letter, a rash")
	d.wantListed(t, projections.InboxOpen, kim, today, "a fall, a cough, a bill")
	for member, mine := range map[staff.ID]int{lee: 2, kim: 2, {UUID: uuid.New()}: 0} {
		counts, err := d.inbox().Counts(t.Context(), elm, member, today)
		if err != nil || counts[projections.InboxMine] != mine || counts[projections.InboxNew] != 3 || counts[projections.InboxOpen] != 3 {
			t.Errorf("counts of %s: %v, %v", member, counts, err)
		}
	}
	row, err := d.inbox().Find(t.Context(), elm, d.of["a fall"])
	if err != nil || row.Team != gps || row.HolderName != "GPs" || row.Holder != (staff.ID{}) {
		t.Errorf("the row is %+v, %v", row, err)
	}
	d.handled(t, elm, d.of["a fall"], request.Taken{Patient: bill, By: kim})
	d.refollow(t)
	d.wantListed(t, projections.InboxMine, lee, today, "a bill")
}

// No request is lost from the open ones with its team, or with a member who leaves.
func TestRequestsOutliveTheirHolders_D164(t *testing.T) {
	t.Parallel()
	d := withTeams(t)
	d.handled(t, elm, d.of["a fall"], request.GivenToTeam{Patient: bill, Team: gps})
	d.handled(t, elm, d.of["a cough"], request.Taken{Patient: bill, By: kim})
	d.happened(t.Context(), t, elm, staff.TeamStream(elm).ID, 2, staff.TeamRemoved{Team: gps})
	d.happened(t.Context(), t, elm, kim.UUID, 1, staff.Deactivated{})
	d.handled(t, elm, d.of["a rash"], request.GivenToTeam{Patient: ann, Team: gps}) // at the same time as the removal
	d.refollow(t)
	d.wantListed(t, projections.InboxNew, lee, today, "a fall, a form, a letter, a bill")
	d.wantListed(t, projections.InboxOpen, lee, today, "a cough, a rash")
	if row, err := d.inbox().Find(t.Context(), elm, d.of["a rash"]); err != nil || row.HolderName != "" || row.Team != (staff.TeamID{}) {
		t.Errorf("a removed team has %+v, %v", row, err)
	}
	if row, err := d.inbox().Find(t.Context(), elm, d.of["a cough"]); err != nil || !row.HolderLeft {
		t.Errorf("that the holder has left is not said: %+v, %v", row, err)
	}
}

// A request that was put off is in no other list until its day, and in its list before.
func TestPutOffRequestIsNewOnItsDay_D165(t *testing.T) {
	t.Parallel()
	d := withTeams(t)
	d.handled(t, elm, d.of["a fall"], request.Taken{Patient: bill, By: lee}, request.PutOff{Patient: bill, Until: tomorrow})
	d.handled(t, elm, d.of["a cough"], request.GivenToTeam{Patient: bill, Team: nurses}, request.PutOff{Patient: bill, Until: tomorrow, Team: nurses})
	d.follow(t, projections.Inbox{})
	d.wantListed(t, projections.InboxNew, kim, today, "a form, a letter, a rash, a bill")
	d.wantListed(t, projections.InboxMine, kim, today, "")
	d.wantListed(t, projections.InboxOpen, kim, today, "")
	d.wantListed(t, projections.InboxLater, kim, today, "a fall, a cough")
	d.wantListed(t, projections.InboxLater, kim, tomorrow, "")
	d.wantListed(t, projections.InboxNew, kim, tomorrow, "a fall, a form, a letter, a rash, a bill")
	d.wantListed(t, projections.InboxMine, kim, tomorrow, "a cough")
	for day, want := range map[string]map[projections.InboxTab]int{
		today:    {projections.InboxNew: 4, projections.InboxMine: 0, projections.InboxOpen: 0, projections.InboxLater: 2, projections.InboxDone: 0},
		tomorrow: {projections.InboxNew: 5, projections.InboxMine: 1, projections.InboxOpen: 1, projections.InboxLater: 0, projections.InboxDone: 0},
	} {
		counts, err := d.inbox().Counts(t.Context(), elm, kim, day)
		if diff := cmp.Diff(want, counts); err != nil || diff != "" {
			t.Errorf("%v, counts on %s (-want +got):\n%s", err, day, diff)
		}
	}
	d.handled(t, elm, d.of["a fall"], request.Taken{Patient: bill, By: kim})
	d.refollow(t)
	d.wantListed(t, projections.InboxMine, kim, today, "a fall")
	d.wantListed(t, projections.InboxLater, kim, today, "a cough")
}

// One query counts what each team and each member has, without what waits for a later day.
func TestWorkloadsOfTeamsAndStaff_D164(t *testing.T) {
	t.Parallel()
	d := withTeams(t)
	d.handled(t, elm, d.of["a fall"], request.GivenToTeam{Patient: bill, Team: gps})
	d.handled(t, elm, d.of["a cough"], request.GivenToTeam{Patient: bill, Team: gps}, request.PutOff{Patient: bill, Until: tomorrow, Team: gps})
	d.handled(t, elm, d.of["a bill"], request.Taken{Patient: bill, By: kim})
	d.handled(t, elm, d.of["a rash"], request.Completed{Patient: ann, By: kim, Outcome: request.Replied})
	d.happened(t.Context(), t, elm, kim.UUID, 1, staff.Deactivated{})
	d.follow(t, projections.Inbox{})
	for day, ofGPs := range map[string]int{today: 1, tomorrow: 2} {
		all, err := projections.Teams{DB: d.Pool}.Workloads(t.Context(), elm, day)
		if err != nil {
			t.Fatal(err)
		}
		got := map[string]int{}
		for _, w := range all {
			got[w.Name] = w.Open
			if w.Active == (w.Member == kim) {
				t.Errorf("%s: active = %t", w.Name, w.Active)
			}
		}
		if diff := cmp.Diff(map[string]int{"GPs": ofGPs, "Nurses": 0, "Dr Lee": 0, "Kim Reed": 1}, got); diff != "" {
			t.Errorf("on %s (-want +got):\n%s", day, diff)
		}
	}
	if all, err := (projections.Teams{DB: d.Pool}).Workloads(t.Context(), oak, today); err != nil || len(all) != 0 {
		t.Errorf("another practice sees %+v, %v", all, err)
	}
	teams, err := projections.Teams{DB: d.Pool}.List(t.Context(), elm)
	want := []projections.Team{{Team: gps, Name: "GPs", Members: []staff.ID{lee, kim}, Changes: 1}, {Team: nurses, Name: "Nurses", Members: []staff.ID{kim}, Changes: 1}}
	if diff := cmp.Diff(want, teams); err != nil || diff != "" {
		t.Errorf("%v, teams (-want +got):\n%s", err, diff)
	}
}
