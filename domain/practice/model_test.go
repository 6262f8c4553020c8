package practice_test

import (
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"frontdesk/domain/practice"
	"frontdesk/domain/practice/hours"
	"frontdesk/domain/request"
)

// zones have odd offsets and odd changes: of half an hour, of two hours, at
// midnight, twice a year, in the other half of the year, of a whole day.
var zones = []string{
	"Europe/London", "UTC", "America/St_Johns", "Australia/Lord_Howe", "Antarctica/Troll", "Pacific/Apia", "Africa/Casablanca",
	"America/Sao_Paulo", "Asia/Tehran", "Pacific/Chatham", "Asia/Beirut", "Africa/Cairo", "Asia/Kathmandu", "America/Havana",
}

const rounds = 2000

// horizon limits the period of the model. It does not compare a type that is still
// closed then: there is only time for a few weeks of minutes.
const horizon = 15 * 24 * time.Hour

// Statuses and next openings must match a model that checks the practice's clock every
// minute.
func TestAvailabilityMatchesEachMinute(t *testing.T) {
	t.Parallel()
	seen := map[practice.Status]int{}
	undecided := 0
	for round := range rounds {
		random := rand.New(rand.NewPCG(24, uint64(round)))
		r := randomReception(t, random)
		now := randomInstant(random, r.Zone)
		r.Closures, r.Intake.Paused, r.Intake.PausedUntil = randomStops(random, now)

		got := r.Availability(now)
		status, next, decided := look(r, now)
		seen[got.Status]++
		if !decided {
			undecided++
			next = got.NextOpening
			if !next.IsZero() && next.Before(now.Add(horizon)) {
				t.Errorf("round %d: next opening %s, and the model sees none by then", round, next)
			}
		}
		if closing := r.Closing(now); !closesAt(r, now, closing) {
			t.Fatalf("round %d: %s in %s: closes %s\n%+v", round, now, r.Zone, closing, r)
		}
		if got.Status != status || !got.NextOpening.Equal(next) {
			t.Fatalf("round %d: %s in %s: %s, next %s; want %s, next %s\n%+v", round, now, r.Zone,
				got.Status, got.NextOpening, status, next, r)
		}
	}
	for _, status := range []practice.Status{practice.TypeOpen, practice.TypeDisabled, practice.TypePaused, practice.TypeClosed} {
		if seen[status] < rounds/20 {
			t.Errorf("%s came %d times: too few to mean anything", status, seen[status])
		}
	}
	if undecided > rounds/4 {
		t.Errorf("the model did not see an opening in %d rounds: too many to mean anything", undecided)
	}
}

// look is the model.
func look(r practice.Reception, now time.Time) (status practice.Status, next time.Time, decided bool) {
	door := onTheDoor(r.Intake.Hours)
	status = statusAt(r, door, now)
	switch status {
	case practice.TypeOpen, practice.TypeDisabled:
		return status, time.Time{}, true
	default:
	}
	for at := now.Truncate(time.Minute).Add(time.Minute); at.Before(now.Add(horizon)); at = at.Add(time.Minute) {
		if statusAt(r, door, at) == practice.TypeOpen {
			return status, at, true
		}
	}
	return status, time.Time{}, false
}

// closesAt reports whether it is open until a closing, and not then. For a closing that
// is a few days away, or never comes, it checks only those days.
func closesAt(r practice.Reception, now, closing time.Time) bool {
	door := onTheDoor(r.Intake.Hours)
	if statusAt(r, door, now) != practice.TypeOpen {
		return closing.IsZero()
	}
	until := now.Add(4 * 24 * time.Hour)
	if !closing.IsZero() && closing.Before(until) {
		if until = closing; statusAt(r, door, closing) == practice.TypeOpen {
			return false
		}
	}
	for at := now.Truncate(time.Minute).Add(time.Minute); at.Before(until); at = at.Add(time.Minute) {
		if statusAt(r, door, at) != practice.TypeOpen {
			return false
		}
	}
	return true
}

func statusAt(r practice.Reception, door []line, at time.Time) practice.Status {
	if r.Intake.SwitchedOff {
		return practice.TypeDisabled
	}
	if r.Intake.Paused && (r.Intake.PausedUntil.IsZero() || at.Before(r.Intake.PausedUntil)) {
		return practice.TypePaused
	}
	for _, c := range r.Closures {
		if !at.Before(c.From) && (c.Until.IsZero() || at.Before(c.Until)) {
			return practice.TypeClosed
		}
	}
	if len(door) > 0 && !isOpen(door, at.In(r.Zone)) {
		return practice.TypeClosed
	}
	return practice.TypeOpen
}

// line is the text form of an interval.
type line struct{ day, opens, closes string }

func onTheDoor(week hours.Week) (door []line) {
	for _, text := range week.Texts() {
		day, times, _ := strings.Cut(text, " ")
		opens, closes, _ := strings.Cut(times, "-")
		door = append(door, line{day, opens, closes})
	}
	return door
}

// isOpen compares local time with the opening hours.
func isOpen(door []line, wall time.Time) bool {
	today, yesterday := weekdays[wall.Weekday()], weekdays[(wall.Weekday()+6)%7]
	now := wall.Format("15:04")
	for _, l := range door {
		spansMidnight := l.closes <= l.opens
		switch {
		case l.day == today && l.opens <= now && (now < l.closes || spansMidnight),
			l.day == yesterday && spansMidnight && now < l.closes:
			return true
		}
	}
	return false
}

var weekdays = map[time.Weekday]string{
	time.Monday: "mon", time.Tuesday: "tue", time.Wednesday: "wed", time.Thursday: "thu",
	time.Friday: "fri", time.Saturday: "sat", time.Sunday: "sun",
}

func randomReception(t *testing.T, random *rand.Rand) practice.Reception {
	t.Helper()
	zone, err := time.LoadLocation(zones[random.IntN(len(zones))])
	if err != nil {
		t.Fatal(err)
	}
	return practice.Reception{
		Type: request.Admin, Zone: zone,
		Intake: practice.Intake{SwitchedOff: random.IntN(15) == 0, Hours: randomWeek(random)},
	}
}

// randomWeek has up to eight intervals; short ones and those about midnight are more
// likely than in reality.
func randomWeek(random *rand.Rand) hours.Week {
	var texts []string
	for range random.IntN(9) {
		open := hours.Clock(random.IntN(24 * 60))
		if random.IntN(3) == 0 {
			open = hours.Clock(random.IntN(4 * 60)) // where clocks are changed
		}
		length := hours.Clock(1 + random.IntN([]int{30, 300, 24*60 - 1}[random.IntN(3)]))
		i := hours.Interval{Day: time.Weekday(random.IntN(7)), Open: open, Close: (open + length) % (24 * 60)}
		if _, err := hours.Parse(append(texts, i.String())); err == nil {
			texts = append(texts, i.String())
		}
	}
	return week(texts...)
}

// randomInstant is between 2005 and 2036, half of the time within days of a
// change of the zone's clocks.
func randomInstant(random *rand.Rand, zone *time.Location) time.Time {
	at := time.Date(2005, 1, 1, 0, 0, 0, 0, time.UTC).Add(time.Duration(random.IntN(31*365*24*60)) * time.Minute)
	if _, change := at.In(zone).ZoneBounds(); !change.IsZero() && random.IntN(2) == 0 {
		at = change.UTC().Add(time.Duration(random.IntN(4*24*60)-3*24*60) * time.Minute)
	}
	if random.IntN(2) == 0 {
		at = at.Add(time.Duration(random.Int64N(int64(time.Minute))))
	}
	return at
}

func randomStops(random *rand.Rand, now time.Time) (closures practice.Closures, paused bool, until time.Time) {
	minute := func(from, until int) time.Time {
		return now.Truncate(time.Minute).Add(time.Duration(from+random.IntN(until-from)) * time.Minute)
	}
	for range random.IntN(4) {
		closure := practice.Closed{From: minute(-2000, 5000)}
		if random.IntN(12) > 0 {
			closure.Until = closure.From.Add(time.Duration(1+random.IntN(3000)) * time.Minute)
		}
		closures = closures.Apply(closure)
	}
	if random.IntN(4) > 0 {
		return closures, false, until
	}
	if random.IntN(6) > 0 {
		until = minute(-2000, 5000)
	}
	return closures, true, until
}
