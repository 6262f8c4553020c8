package sandbox

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"
)

const (
	clockName = "clock.json"
	realTime  = "real"                    // the setting that moves the clock back to real time
	farthest  = 10 * 365 * 24 * time.Hour // from real time
)

// clock is the sandbox's clock: real time with an offset. It runs at the pace of real time,
// even while the sandbox is stopped.
type clock struct {
	file string
	real func() time.Time

	mu    sync.RWMutex
	moved time.Duration
}

// kept is the content of the clock's file.
type kept struct {
	Moved string `json:"moved"` // a duration, such as 12h0m0s
}

// openClock returns the clock that dir keeps, or real time without one.
func openClock(dir string, realNow func() time.Time) (*clock, error) {
	c := &clock{file: filepath.Join(dir, clockName), real: realNow}
	var k kept
	err := readJSON(c.file, &k)
	if errors.Is(err, fs.ErrNotExist) {
		return c, nil
	}
	if err != nil {
		return nil, err
	}
	if c.moved, err = time.ParseDuration(k.Moved); err != nil {
		return nil, fmt.Errorf("read %s (remove it, and the clock is real time): %w", clockName, err)
	}
	return c, nil
}

// Now returns the instant that the sandbox takes for the present.
func (c *clock) Now() time.Time { return c.real().Add(c.ahead()) }

// String describes the time of the clock.
func (c *clock) String() string { return ClockText(c.Now(), c.real()) }

// ClockText describes the time of a sandbox's clock, and its distance from real time.
func ClockText(now, realNow time.Time) string {
	moved := now.Sub(realNow).Round(time.Second)
	if moved > 0 {
		return instant(now) + ", which is " + moved.String() + " ahead of real time"
	}
	return instant(now) + ", which is real time"
}

// ahead is how far the clock is ahead of real time.
func (c *clock) ahead() time.Duration {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return c.moved
}

// set moves the clock to a setting, unless that is before the newest event: no event precedes
// its causes. newest is called only for a clock that goes back.
func (c *clock) set(ctx context.Context, setting string, newest func(context.Context) (time.Time, error)) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	now := c.real()
	moved, err := move(setting, now, c.moved)
	if err != nil {
		return err
	}
	if err := c.mayGoBack(ctx, now, moved, newest); err != nil {
		return err
	}
	if err := near(moved); err != nil {
		return err
	}
	return c.keep(moved)
}

// mayGoBack refuses to go behind the newest event.
func (c *clock) mayGoBack(ctx context.Context, now time.Time, moved time.Duration, newest func(context.Context) (time.Time, error)) error {
	if moved >= c.moved {
		return nil
	}
	last, err := newest(ctx)
	if err != nil {
		return err
	}
	if to := now.Add(moved); to.Before(last) {
		return refused("The clock cannot go back to %s, because the newest event is of %s. Reset the sandbox first: frontdesk sandbox reset.",
			instant(to), instant(last))
	}
	return nil
}

// toRealTime moves the clock back to real time, in any case.
func (c *clock) toRealTime() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.keep(0)
}

func (c *clock) keep(moved time.Duration) error {
	if err := c.write(moved); err != nil {
		return err
	}
	c.moved = moved
	return nil
}

func (c *clock) write(moved time.Duration) error {
	if moved != 0 {
		return writeJSON(c.file, kept{Moved: moved.String()})
	}
	if err := os.Remove(c.file); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("forget the clock: %w", err)
	}
	return nil
}

// move returns the offset of a clock that a setting moves.
func move(setting string, now time.Time, moved time.Duration) (time.Duration, error) {
	switch {
	case setting == realTime:
		return 0, nil
	case strings.HasPrefix(setting, "+"), strings.HasPrefix(setting, "-"):
		by, err := time.ParseDuration(setting)
		if err != nil {
			return 0, errSetting(setting)
		}
		return moved + by, nil
	}
	to, err := time.Parse(time.RFC3339, setting)
	if err != nil {
		return 0, errSetting(setting)
	}
	return to.Sub(now), nil
}

// near refuses a time behind real time, so that nothing has an identifier that is newer than
// itself, and a time that is implausibly far ahead.
func near(moved time.Duration) error {
	if moved < 0 {
		return refused("The clock cannot go behind real time.")
	}
	if moved > farthest {
		return refused("The clock must stay within ten years of real time.")
	}
	return nil
}

func errSetting(setting string) error {
	return refused("%q is no time for the clock: use +12h, an instant such as 2027-03-28T00:59:00Z, or real.", setting)
}

func instant(at time.Time) string { return at.UTC().Format("2006-01-02T15:04:05Z") }
