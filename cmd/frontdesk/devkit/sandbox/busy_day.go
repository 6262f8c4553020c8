package sandbox

import (
	"context"
	"errors"
	"fmt"
	"time"

	"frontdesk/commands"
	"frontdesk/domain/appointment"
	"frontdesk/domain/patient"
	"frontdesk/domain/site"
)

const (
	visitsADay = 100
	openFor    = 10*time.Hour + 30*time.Minute
	usualStart = 8 * time.Hour // after midnight
	lateNow    = 12            // as many visits of today at least are under way or over
)

// build adds the second site, and rooms to both.
func (b *busy) build(ctx context.Context) error {
	main := b.firstSite()
	second := Site{Name: "Sandbox Surgery, Mill Lane"}
	var err error
	if second.ID, err = b.desk.AddSite(ctx, commands.AddSite{Tenant: tenant, Name: second.Name}); err != nil {
		return err
	}
	b.seed.Sites = append(b.seed.Sites, second)
	for _, room := range []Room{
		{SiteID: main, Name: "Room 3"}, {SiteID: main, Name: "Room 4"}, {SiteID: main, Name: "Nurse’s room"},
		{SiteID: second.ID, Name: "Room A"}, {SiteID: second.ID, Name: "Room B"},
		{SiteID: second.ID, Name: "Minor operations and phlebotomy (ground floor, behind the lift)"},
	} {
		if room.ID, err = b.desk.AddRoom(ctx, commands.AddRoom{Tenant: tenant, Site: room.SiteID, Name: room.Name}); err != nil {
			return err
		}
		b.seed.Rooms = append(b.seed.Rooms, room)
	}
	return nil
}

// rooms are those of a site.
func (b *busy) rooms(at site.ID) (ids []site.RoomID) {
	for _, room := range b.seed.Rooms {
		if room.SiteID == at {
			ids = append(ids, room.ID)
		}
	}
	return ids
}

// visit is an appointment of a busy day.
type visit struct {
	id  appointment.ID
	who patient.ID
	at  site.ID
	due time.Time
}

// surgery returns the visits of a day, at two sites in turn, less those that the seed has
// booked already.
func (b *busy) surgery(day time.Time) (visits []*visit) {
	booked := 0
	for _, a := range b.seed.Appointments {
		if a.At.In(day.Location()).Format(time.DateOnly) == day.Format(time.DateOnly) {
			booked++
		}
	}
	opening := b.opening(day)
	for n := range visitsADay - booked {
		visits = append(visits, &visit{
			who: b.seed.Regulars[(day.YearDay()*37+n*3)%len(b.seed.Regulars)], at: b.seed.Sites[n%2].ID,
			due: opening.Add(openFor * time.Duration(n/2) / (visitsADay / 2)).Truncate(pace),
		})
	}
	return visits
}

// opening is when a day begins. If now is in no usual hour, today's surgery is around it, so
// that patients wait at any time.
func (b *busy) opening(day time.Time) time.Time {
	usual := day.Add(usualStart)
	sinceOpening := b.now.Sub(usual)
	if today := b.now.Sub(day); today < 0 || today >= 24*time.Hour || (sinceOpening > time.Hour && sinceOpening < openFor-time.Hour) {
		return usual
	}
	begin := b.now.Truncate(time.Hour).Add(-openFor / 2).Truncate(time.Hour)
	if latest := day.Add(24*time.Hour - openFor); begin.After(latest) {
		begin = latest
	}
	if begin.Before(day) {
		begin = day
	}
	return begin
}

// book books the visits of a day to come.
func (b *busy) book(ctx context.Context, day time.Time, always bool) error {
	if weekend(day) && !always {
		return nil
	}
	for _, v := range b.surgery(day) {
		if err := b.bookVisit(ctx, v); err != nil && !errors.Is(err, patient.ErrUnknown) { // erased patients get no appointments
			return err
		}
	}
	return nil
}

func (b *busy) bookVisit(ctx context.Context, v *visit) (err error) {
	v.id, err = b.desk.BookAppointment(ctx, commands.BookAppointment{Tenant: tenant, Patient: v.who, Site: v.at, At: v.due})
	return err
}

// attend plans a day up to now: visits are booked when the plan begins, and then patients
// come, wait, are called in and seen, or do not come.
func (b *busy) attend(p *plan, day time.Time) {
	visits := b.surgery(day)
	reached := 0 // the first visit that is still to come
	for reached < len(visits) && visits[reached].due.Before(b.now) {
		reached++
	}
	reached = max(reached, lateNow)
	for n, v := range visits {
		p.add(b.begin.Add(time.Hour), func(ctx context.Context) error { return b.bookVisit(ctx, v) })
		b.live(p, v, b.fate(n, reached), n)
	}
}

// fate is the state in which a visit is now.
type fate int

const (
	booked fate = iota
	cancelled
	absent
	waiting
	calledIn
	calledInNowhere // to no room
	seen
)

// fate varies with a visit's place in the day, so that each state is there at each site.
func (b *busy) fate(n, reached int) fate {
	switch {
	case n%23 == 9:
		return cancelled
	case n >= reached+8:
		return booked
	case n >= reached:
		return []fate{waiting, booked}[n/2%2]
	case n >= reached-8: // four at each site
		return [][2]fate{{calledIn, waiting}, {waiting, seen}, {seen, calledIn}, {calledInNowhere, waiting}}[(n/2)%4][n%2]
	case n/2%17 == 1: // the first ones early, one at each site
		return absent
	case n%29 == 3:
		return waiting
	}
	return seen
}

// live plans what happens to a visit until it has its fate. Nothing happens later than now.
func (b *busy) live(p *plan, v *visit, f fate, n int) {
	rooms := b.rooms(v.at)
	room := rooms[n/2%(len(rooms)-1)] // the last room is free
	if f == calledInNowhere {
		room = site.RoomID{}
	}
	desk, clinician := b.receptionists[n%len(b.receptionists)], b.clinicians[n%len(b.clinicians)]
	came := v.due.Add(-2 * pace)
	if limit := b.now.Add(-4 * pace).Truncate(pace); came.After(limit) {
		came = limit
	}
	arrive := as(desk, func(ctx context.Context) error {
		return b.desk.MarkArrived(ctx, commands.MarkArrived{Tenant: tenant, Appointment: v.id})
	})
	call := as(clinician, func(ctx context.Context) error {
		return b.desk.CallInPatient(ctx, commands.CallInPatient{Tenant: tenant, Appointment: v.id, Room: room})
	})
	switch f {
	case booked:
	case cancelled:
		p.add(b.begin.Add(2*time.Hour), as(desk, func(ctx context.Context) error {
			return b.desk.CancelAppointment(ctx, commands.CancelAppointment{Tenant: tenant, Appointment: v.id})
		}))
	case absent:
		p.add(came.Add(3*pace), as(desk, func(ctx context.Context) error {
			return b.desk.MarkDidNotAttend(ctx, commands.MarkDidNotAttend{Tenant: tenant, Appointment: v.id})
		}))
	case waiting, calledIn, calledInNowhere, seen:
		p.add(came, arrive)
	}
	if f == calledIn || f == calledInNowhere || f == seen {
		p.add(came.Add(2*pace), call)
	}
	if f == seen {
		p.add(came.Add(3*pace), as(clinician, func(ctx context.Context) error {
			_, err := b.desk.StartConsultation(ctx, commands.StartConsultation{Tenant: tenant, Patient: v.who, Appointment: v.id})
			if err != nil {
				return fmt.Errorf("start the consultation of a visit: %w", err)
			}
			return nil
		}))
	}
}
