package request_test

import (
	"testing"

	"github.com/google/uuid"

	"frontdesk/domain/event"
	"frontdesk/domain/event/eventtest"
	"frontdesk/domain/request"
	"frontdesk/domain/staff"
)

var (
	gps    = staff.TeamID{UUID: uuid.MustParse("0190c7a2-0000-7000-8000-0000000000f1")}
	nurses = staff.TeamID{UUID: uuid.MustParse("0190c7a2-0000-7000-8000-0000000000f2")}

	givenToTeam = request.GivenToTeam{Patient: ann, From: lee, Team: gps}
	putOff      = request.PutOff{Patient: ann, Until: "2026-05-03"}
)

const today = "2026-04-30"

var bothTeams = event.Fold[staff.Teams](staff.TeamSet{Team: gps, Name: "GPs"}, staff.TeamSet{Team: nurses, Name: "Nurses"})

func pass(from, to request.Holder) decide {
	return func(r request.Request) ([]event.Event, error) { return r.Give(from, to, bothTeams) }
}

func later(by staff.ID, until string) decide {
	return func(r request.Request) ([]event.Event, error) { return r.PutOff(by, until, today, bothTeams) }
}

// A request has a member or a team, and of two who pass it on one is refused.
func TestRequestIsGivenToTeam_D164(t *testing.T) {
	t.Parallel()
	given := eventtest.Given[request.Request]
	none, withLee, withGPs, withNurses := request.Holder{}, request.Holder{Member: lee}, request.Holder{Team: gps}, request.Holder{Team: nurses}
	toGPs, toNurses := request.GivenToTeam{Patient: ann, Team: gps}, request.GivenToTeam{Patient: ann, Team: nurses}

	given(submitted).When(pass(none, withGPs)).Then(t, toGPs)
	given(submitted, taken).When(pass(withLee, withGPs)).Then(t, givenToTeam)
	given(submitted, taken).When(pass(none, withGPs)).Refuses(t, request.ErrTaken)
	given(submitted, toGPs).When(pass(none, withGPs)).Then(t)
	given(submitted, toGPs).When(pass(withGPs, withNurses)).Then(t, toNurses)
	given(submitted, toGPs, toNurses).When(pass(withGPs, withLee)).Refuses(t, request.ErrTaken)
	given(submitted, toGPs).When(pass(withGPs, withLee)).Then(t, request.Given{Patient: ann, To: lee})
	given(submitted, toGPs).When(take(kim)).Then(t, request.Taken{Patient: ann, By: kim})
	given(submitted, toGPs, taken).When(take(kim)).Refuses(t, request.ErrTaken)
	given(submitted, toGPs, taken).When(pass(withGPs, withNurses)).Refuses(t, request.ErrTaken)
	given(submitted, toGPs).When(complete(kim, request.Signposted, "")).Then(t, request.Completed{Patient: ann, By: kim, Outcome: request.Signposted})
	given(submitted, completed).When(pass(none, withGPs)).Refuses(t, request.ErrCompleted)
	given(submitted).When(pass(none, request.Holder{Member: lee, Team: gps})).Refuses(t, request.ErrTwoHolders)
	given().When(pass(none, withGPs)).Refuses(t, request.ErrUnknown)
	given(submitted).When(pass(none, request.Holder{Team: staff.TeamID{UUID: kim.UUID}})).Refuses(t, staff.ErrUnknownTeam)
}

// What a removed team had, no one has.
func TestRemovedTeamHoldsNoRequest_D164(t *testing.T) {
	t.Parallel()
	given := eventtest.Given[request.Request]
	toGPs := request.GivenToTeam{Patient: ann, Team: gps}
	without := event.Fold[staff.Teams](staff.TeamSet{Team: nurses, Name: "Nurses"})
	move := func(from, to request.Holder) decide {
		return func(r request.Request) ([]event.Event, error) { return r.Give(from, to, without) }
	}
	wait := func(r request.Request) ([]event.Event, error) { return r.PutOff(lee, "2026-05-03", today, without) }

	given(submitted, toGPs).When(take(kim)).Then(t, request.Taken{Patient: ann, By: kim})
	given(submitted, toGPs).When(move(request.Holder{}, request.Holder{Member: kim})).Then(t, request.Given{Patient: ann, To: kim})
	given(submitted, toGPs).When(move(request.Holder{}, request.Holder{Team: nurses})).Then(t, request.GivenToTeam{Patient: ann, Team: nurses})
	given(submitted, toGPs).When(move(request.Holder{}, request.Holder{Team: gps})).Refuses(t, staff.ErrUnknownTeam)
	given(submitted, toGPs).When(wait).Then(t, putOff)
}

// A request that was put off has no member, keeps its team, and waits until a member takes it or the day comes.
func TestRequestIsPutOffUntilADay_D165(t *testing.T) {
	t.Parallel()
	given := eventtest.Given[request.Request]
	withGPs := request.Holder{Team: gps}
	keptByGPs := request.PutOff{Patient: ann, Until: "2026-05-03", Team: gps}

	given(submitted).When(later(kim, "2026-05-03")).Then(t, putOff)
	given(submitted, taken).When(later(lee, "2026-05-03")).Then(t, putOff)
	given(submitted, taken).When(later(kim, "2026-05-03")).Refuses(t, request.ErrTaken)
	given(submitted, putOff).When(later(kim, "2026-05-03")).Then(t)
	given(submitted, putOff).When(later(kim, "2026-05-04")).Then(t, request.PutOff{Patient: ann, Until: "2026-05-04"})
	given(submitted, taken, putOff).When(take(kim)).Then(t, request.Taken{Patient: ann, By: kim})
	given(submitted, putOff, taken).When(later(lee, "2026-05-03")).Then(t, putOff)
	given(submitted, givenToTeam, keptByGPs).When(pass(withGPs, withGPs)).Then(t, request.GivenToTeam{Patient: ann, Team: gps})
	given(submitted, givenToTeam).When(later(kim, "2026-05-03")).Then(t, keptByGPs)
	given(submitted, givenToTeam, keptByGPs).When(later(kim, "2026-05-03")).Then(t)
	given(submitted, putOff).When(complete(lee, request.Signposted, "")).Then(t, request.Completed{Patient: ann, By: lee, Outcome: request.Signposted})
	given(submitted, completed).When(later(lee, "2026-05-03")).Refuses(t, request.ErrCompleted)
	given().When(later(lee, "2026-05-03")).Refuses(t, request.ErrUnknown)
	given(submitted).When(later(lee, "2026-05-01")).Then(t, request.PutOff{Patient: ann, Until: "2026-05-01"})
	given(submitted).When(later(lee, "2027-05-01")).Then(t, request.PutOff{Patient: ann, Until: "2027-05-01"})
	for _, wrong := range []string{"", today, "2026-04-29", "2026-02-30", "2027-05-02", "tomorrow"} {
		given(submitted).When(later(lee, wrong)).Refuses(t, request.ErrInvalidPutOff)
	}
}
