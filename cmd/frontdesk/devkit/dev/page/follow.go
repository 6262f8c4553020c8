package page

import (
	"net/http"
	"time"

	"frontdesk/adapters/clock"
)

const (
	mostFollowers = 16
	beat          = 15 * time.Second // so that a page detects that the connection is open
	writeLimit    = 10 * time.Second
)

// Watched reports whether a page is open that follows events.
func (s *Site) Watched() bool { return s.followers.Load() > 0 }

// follow notifies a page of each change, until the page or dev closes (server-sent events).
func (s *Site) follow(w http.ResponseWriter, r *http.Request) {
	defer s.followers.Add(-1)
	if s.followers.Add(1) > mostFollowers {
		http.Error(w, "Too many pages are open.", http.StatusServiceUnavailable)
		return
	}
	line := http.NewResponseController(w)
	_ = line.SetReadDeadline(time.Time{}) // that of the request is over
	w.Header().Set("Content-Type", "text/event-stream")
	for said := "data: changed\n\n"; ; {
		next := s.Changed.Next()
		_ = line.SetWriteDeadline(clock.Deadline(writeLimit))
		if _, err := w.Write([]byte(said)); err != nil || line.Flush() != nil {
			return
		}
		select {
		case <-r.Context().Done():
			return
		case <-next:
			said = "data: changed\n\n"
		case <-time.After(beat):
			said = ": still here\n\n"
		}
	}
}
