package dev

import (
	"fmt"
	"io"
	"slices"
	"sync"
	"time"

	"frontdesk/adapters/background"
	"frontdesk/cmd/frontdesk/dev/forward"
	"frontdesk/cmd/frontdesk/dev/page"
)

// diary is what has happened: printed, and on the page.
type diary struct {
	out     io.Writer
	now     func() time.Time
	changed *background.Broadcast

	mu    sync.Mutex
	lines []page.Line // oldest first
}

const diaryLines = 20

func (d *diary) say(format string, args ...any) { d.write(false, fmt.Sprintf(format, args...)) }

// complain says what went wrong, and what to do.
func (d *diary) complain(format string, args ...any) { d.write(true, fmt.Sprintf(format, args...)) }

func (d *diary) write(wrong bool, text string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	defer d.changed.Notify()
	line := page.Line{At: d.now(), Text: text, Wrong: wrong}
	d.lines = append(d.lines, line)
	if len(d.lines) > diaryLines {
		d.lines = slices.Delete(d.lines, 0, 1)
	}
	fmt.Fprintf(d.out, "%s  %s\n", line.At.Format(time.TimeOnly), text)
}

// newest returns the lines, newest first.
func (d *diary) newest() []page.Line {
	d.mu.Lock()
	defer d.mu.Unlock()
	lines := slices.Clone(d.lines)
	slices.Reverse(lines)
	return lines
}

// tell says what became of a webhook.
func (d *dev) tell(w forward.Webhook) {
	switch {
	case w.Refused != "":
		d.diary.complain("A webhook was refused: %s.", w.Refused)
	case len(w.Attempts) == 0:
		d.diary.say("%s: received and verified", w.Event())
	default:
		d.attempted(w.Event(), w.Attempts[len(w.Attempts)-1])
	}
}

// attempted says how a webhook was handed on.
func (d *dev) attempted(event string, a forward.Attempt) {
	took := page.Took(a.Took)
	switch {
	case a.Failure != "":
		d.diary.complain("%s: verified, not handed on: %s. It is kept: the page sends it again.", event, a.Failure)
	case !a.Fine():
		d.diary.complain("%s: verified; your program answered %d in %s. It is kept: the page sends it again.", event, a.Status, took)
	default:
		d.diary.say("%s: verified; your program answered %d in %s", event, a.Status, took)
	}
}
