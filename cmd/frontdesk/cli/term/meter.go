package term

import (
	"fmt"
	"io"
	"os"
	"sync"
	"time"

	"frontdesk/adapters/clock"
)

// Meter shows the progress of something long on a terminal. It writes nothing to
// a file or a pipe. Several may call it at once.
type Meter struct {
	mu           sync.Mutex
	w            io.Writer // nil unless it is a terminal
	doing, what  string    // as in "exporting: 5 of 7 events"
	begun, shown clock.Stopwatch
	from         int64 // how far it was when it began
}

const meterPace = 250 * time.Millisecond

// NewMeter returns a meter that shows lines such as "exporting: 5 of 7 events" on w, if w is a terminal.
func NewMeter(w io.Writer, doing, what string) *Meter {
	m := &Meter{doing: doing, what: what, from: -1}
	if file, ok := w.(*os.File); ok {
		if info, err := file.Stat(); err == nil && info.Mode()&os.ModeCharDevice != 0 {
			m.w = w
		}
	}
	return m
}

// Show shows how many of all are done, how many are done a second, and how
// long the rest will take.
func (m *Meter) Show(done, all int64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.w == nil || m.shown.Elapsed() < meterPace {
		return
	}
	m.shown = clock.Start()
	if m.from < 0 {
		m.begun, m.from = m.shown, done
	}
	line := fmt.Sprintf("%s: %d of %d %s", m.doing, done, all, m.what)
	if seconds := m.begun.Elapsed().Seconds(); seconds > 0 && done > m.from {
		rate := float64(done-m.from) / seconds
		left := time.Duration(float64(all-done) / rate * float64(time.Second))
		line += fmt.Sprintf(", %.0f/s, %s left", rate, left.Round(time.Second))
	}
	fmt.Fprintf(m.w, "\r%s\x1b[K", line)
}

// End leaves the line for the next output.
func (m *Meter) End() {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.w != nil && m.shown.Started() {
		fmt.Fprint(m.w, "\r\x1b[K")
	}
}
