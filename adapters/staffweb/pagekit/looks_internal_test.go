package pagekit

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/uuid"

	"frontdesk/domain/patient"
)

// A line covers a patient on a page for ten minutes, for one session alone.
func TestLineCoversTenMinutes_D157(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 3, 29, 0, 55, 0, 0, time.UTC)
	ann, bob := patient.ID{UUID: uuid.New()}, patient.ID{UUID: uuid.New()}
	rose, kim, search := uuid.New(), uuid.New(), uuid.New()
	var c coveredLooks
	for n, s := range []struct {
		after  time.Duration
		viewer uuid.UUID
		page   look
		shown  []patient.ID
		want   int
	}{
		{0, rose, look{topic: "day"}, []patient.ID{ann}, 1},
		{time.Minute, rose, look{topic: "day"}, []patient.ID{ann, bob}, 1},
		{time.Minute, rose, look{topic: "day"}, []patient.ID{bob}, 0},
		{0, kim, look{topic: "day"}, []patient.ID{ann, bob}, 2},
		{0, rose, look{topic: "requests"}, []patient.ID{ann}, 1},
		{0, rose, look{topic: "day", search: search}, []patient.ID{ann}, 1},
		{8*time.Minute - 1, rose, look{topic: "day"}, []patient.ID{ann}, 0},
		{1, rose, look{topic: "day"}, []patient.ID{ann, bob}, 1},
		{-time.Hour, rose, look{topic: "day"}, []patient.ID{ann, bob}, 2},
		{0, rose, look{topic: "day"}, nil, 0},
	} {
		now = now.Add(s.after)
		if got := c.uncovered(s.viewer, s.page, s.shown, now); len(got) != s.want {
			t.Errorf("%d: %d patients need a line, want %d", n, len(got), s.want)
		}
	}
}

// Beyond the limits there are more lines, not fewer, and no more memory.
func TestCoveredLooksAreBounded_D157(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC)
	var c coveredLooks
	crowd := make([]patient.ID, maxViewerLooks+1)
	for n := range crowd {
		crowd[n].UUID = uuid.New()
	}
	for n := range maxLooks/maxViewerLooks + 3 {
		viewer := uuid.NewSHA1(uuid.Nil, fmt.Append(nil, n))
		c.uncovered(viewer, look{topic: "day"}, crowd, now)
		again := c.uncovered(viewer, look{topic: "day"}, crowd, now)
		if full := n >= maxLooks/maxViewerLooks; !full && len(again) != 1 || full && len(again) != len(crowd) {
			t.Fatalf("viewer %d needs a line for %d patients", n, len(again))
		}
	}
	if c.size != maxLooks {
		t.Errorf("%d are remembered", c.size)
	}
	c.uncovered(uuid.New(), look{topic: "day"}, crowd[:1], now.Add(lookCovers))
	if len(c.viewers) != 1 || c.size != 1 {
		t.Errorf("%d of %d viewers are remembered", c.size, len(c.viewers))
	}
}
