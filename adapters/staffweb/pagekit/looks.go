package pagekit

import (
	"sync"
	"time"

	"github.com/google/uuid"

	"frontdesk/domain/patient"
)

// lookCovers is the time that a line of the access record covers: the same session may be
// shown the same patients on the same page again without another line (D157).
const lookCovers = 10 * time.Minute

// Limits of the remembered lines. A patient beyond them has a line each time.
const (
	maxViewerLooks = 1 << 11
	maxLooks       = 1 << 17 // some 15 MiB
)

// coveredLooks remembers which patients the newest lines of the access record cover. It is
// lost when the process ends, and each process has its own: then there is one line more.
type coveredLooks struct {
	mu      sync.Mutex
	viewers map[uuid.UUID]map[look]time.Time // times of the lines, by session or display
	size    int                              // of all inner maps
	sweptAt time.Time
}

// look is a patient on a page.
type look struct {
	topic   string
	search  uuid.UUID // whose result the page shows; zero for none
	patient patient.ID
}

// uncovered returns the patients on a page that no line covers at a time, and remembers
// that a line of that time covers them.
func (c *coveredLooks) uncovered(viewer uuid.UUID, page look, patients []patient.ID, now time.Time) (left []patient.ID) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.sweep(now)
	for _, id := range patients {
		at := page
		at.patient = id
		if covers(c.viewers[viewer][at], now) {
			continue
		}
		left = append(left, id)
		c.remember(viewer, at, now)
	}
	return left
}

// covers reports whether a line of one time covers another. A clock that went back is no
// reason to leave out a line.
func covers(line, now time.Time) bool { return !now.Before(line) && now.Before(line.Add(lookCovers)) }

// remember remembers a line, if there is room.
func (c *coveredLooks) remember(viewer uuid.UUID, at look, now time.Time) {
	if c.viewers == nil {
		c.viewers = map[uuid.UUID]map[look]time.Time{}
	}
	seen := c.viewers[viewer]
	if _, again := seen[at]; !again {
		if len(seen) >= maxViewerLooks || c.size >= maxLooks {
			return
		}
		c.size++
	}
	if seen == nil {
		seen = map[look]time.Time{}
		c.viewers[viewer] = seen
	}
	seen[at] = now
}

// forget forgets a line that was lost: it covers no one.
func (c *coveredLooks) forget(viewer uuid.UUID, page look, patients []patient.ID) {
	c.mu.Lock()
	defer c.mu.Unlock()
	seen := c.viewers[viewer]
	for _, id := range patients {
		page.patient = id
		if _, remembered := seen[page]; remembered {
			delete(seen, page)
			c.size--
		}
	}
	if len(seen) == 0 {
		delete(c.viewers, viewer)
	}
}

// sweep forgets, once in the time that a line covers, what no longer covers anything.
func (c *coveredLooks) sweep(now time.Time) {
	if covers(c.sweptAt, now) {
		return
	}
	c.sweptAt = now
	for viewer, seen := range c.viewers {
		for at, line := range seen {
			if !covers(line, now) {
				delete(seen, at)
				c.size--
			}
		}
		if len(seen) == 0 {
			delete(c.viewers, viewer)
		}
	}
}
