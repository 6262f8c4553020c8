package sandbox

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"time"

	"frontdesk/domain/practice"
	"frontdesk/domain/staff"
)

// The seeds of a practice.
const (
	Quiet = "quiet"
	Busy  = "busy"
)

const (
	busyNumber = 20_260_301 // every busy practice is made up from this one number
	busyPast   = 6 * 24 * time.Hour
)

var errHalfBusy = errors.New("an earlier start was cut off while it made the busy practice up: begin again with --fresh")

// busy plants a practice of 4,000 patients in the middle of a day. Its past is made up by the
// normal commands, at the times of the calendar.
type busy struct {
	believable
	calendar *calendar // nil once the past is made up
	begin    time.Time
	chance   *rand.Rand

	receptionists, clinicians []staff.ID
}

// pick checks the seed that was asked for against the one that dir has, and returns the one
// that holds. "" is the one that dir has, or [Quiet].
func pick(dir, asked string) (name string, planted bool, err error) {
	file := filepath.Join(dir, seedName)
	if !exists(file) {
		if asked == "" {
			asked = Quiet
		}
		return asked, false, nil
	}
	var s seed
	if err := readJSON(file, &s); err != nil {
		return "", true, err
	}
	if s.Name == "" {
		s.Name = Quiet
	}
	if asked != "" && asked != s.Name {
		return "", true, fmt.Errorf("the sandbox in %s is a %s practice: begin a %s one with --fresh, or choose another directory with --dir", dir, s.Name, asked)
	}
	return s.Name, true, nil
}

// plant makes the past up, once, and books the days to come.
func (b *busy) plant(ctx context.Context) error {
	if err := b.patients(ctx); err != nil {
		return err
	}
	if b.seed.Regulars == nil {
		if b.calendar == nil {
			return errHalfBusy
		}
		if err := b.past(ctx); err != nil {
			return err
		}
	}
	if err := b.week(ctx, b.book); err != nil {
		return err
	}
	return b.requests(ctx)
}

func (b *busy) past(ctx context.Context) error {
	b.chance = rand.New(rand.NewPCG(busyNumber, 0)) // #nosec G404 -- the same practice each time
	b.begin = b.calendar.Now()
	for _, part := range []func(context.Context) error{
		b.hire, b.build, func(ctx context.Context) error { return b.registerAll(ctx, crowd(b.chance)) },
	} {
		if err := part(ctx); err != nil {
			return err
		}
	}
	zone, err := time.LoadLocation(practice.DefaultTimeZone)
	if err != nil {
		return fmt.Errorf("load the practice's time zone: %w", err)
	}
	year, month, date := b.now.In(zone).Date()
	today := time.Date(year, month, date, 0, 0, 0, 0, zone)
	before := today.AddDate(0, 0, -1)
	for weekend(before) {
		before = before.AddDate(0, 0, -1)
	}
	p := plan{calendar: b.calendar}
	b.correspond(&p)
	b.attend(&p, before)
	b.attend(&p, today)
	if err := p.run(ctx); err != nil {
		return err
	}
	b.calendar.to(b.now)
	b.seed.BookedUntil = today.Format(time.DateOnly)
	return writeJSON(b.file, b.seed)
}
