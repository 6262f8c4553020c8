package dev

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"time"

	"frontdesk/adapters/background"
	"frontdesk/cmd/frontdesk/devkit/dev/forward"
	"frontdesk/cmd/frontdesk/devkit/dev/page"
)

// log is the list of messages: printed, and shown on the page.
type log struct {
	out     io.Writer
	now     func() time.Time
	changed *background.Broadcast

	mu    sync.Mutex
	lines []page.Line // oldest first
}

const logLines = 20

func (l *log) info(format string, args ...any) { l.write(false, fmt.Sprintf(format, args...)) }

// error logs an error, with the fix.
func (l *log) error(format string, args ...any) { l.write(true, fmt.Sprintf(format, args...)) }

func (l *log) write(wrong bool, text string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	defer l.changed.Notify()
	line := page.Line{At: l.now(), Text: text, Wrong: wrong}
	l.lines = append(l.lines, line)
	if len(l.lines) > logLines {
		l.lines = slices.Delete(l.lines, 0, 1)
	}
	fmt.Fprintf(l.out, "%s  %s\n", line.At.Format(time.TimeOnly), text)
}

// newest returns the lines, newest first.
func (l *log) newest() []page.Line {
	l.mu.Lock()
	defer l.mu.Unlock()
	lines := slices.Clone(l.lines)
	slices.Reverse(lines)
	return lines
}

// logWebhook logs the outcome of a webhook.
func (d *dev) logWebhook(w forward.Webhook) {
	switch {
	case w.Refused != "":
		d.log.error("A webhook was refused: %s.", w.Refused)
	case len(w.Attempts) == 0:
		d.log.info("%s: received and verified", w.Event())
	default:
		d.logAttempt(w.Event(), w.Attempts[len(w.Attempts)-1])
	}
}

// logAttempt logs the forwarding of a webhook.
func (d *dev) logAttempt(event string, a forward.Attempt) {
	took := page.Took(a.Took)
	switch {
	case a.Failure != "":
		d.log.error("%s: verified, not forwarded: %s. It is kept: trigger it again from the page.", event, a.Failure)
	case !a.Fine():
		d.log.error("%s: verified; your program answered %s in %s. It is kept: trigger it again from the page.", event, strings.TrimSpace(fmt.Sprint(a.Status, " ", a.Word())), took)
	default:
		d.log.info("%s: verified; your program answered %d in %s", event, a.Status, took)
	}
}
