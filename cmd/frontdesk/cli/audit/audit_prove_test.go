//go:build prove

package audit_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"frontdesk/adapters/provetest"
	"frontdesk/cmd/frontdesk/cli/clitest"
)

// longLog is how many events there are before the writers begin: 300 pages.
var longLog = provetest.Pick(60_000, 300_000)

const (
	writers = 16
	every   = 400 // events that are appended between two looks at the dead rows
)

// TestProveThatAuditorsLeaveNoDeadRowsBehind lets 16 writers work while a long
// log is exported and replayed, and counts the dead rows that VACUUM may not
// remove because a snapshot still sees them. For comparison, the same writers run with
// a reader that keeps a snapshot open: there every event adds to the backlog.
func TestProveThatAuditorsLeaveNoDeadRowsBehind(t *testing.T) { //nolint:paralleltest // it measures
	b := newBusyPractice(t)
	auditor := "--database-url=" + b.server.URL("frontdesk", "frontdesk_audit")
	out := filepath.Join(t.TempDir(), "log.ndjson")

	exporting := b.during(t, "audit export", func() {
		if o := clitest.Frontdesk(t, "audit", "export", "--out", out, auditor); o.Status != 0 {
			t.Error(o.Err)
		}
	})
	replaying := b.during(t, "audit replay", func() {
		if o := clitest.Frontdesk(t, "audit", "replay", "--as-of="+strconv.Itoa(longLog/3), auditor); o.Status != 0 {
			t.Error(o.Err)
		}
	})
	snapshot := b.during(t, "one snapshot kept open", func() { b.keepSnapshot(t, exporting.events) })

	provetest.Tried(t, exporting.events+replaying.events, "events beside an auditor")
	t.Logf("rows died in %s", b.tables)

	wantExported(t, out)
	for _, audit := range []phase{exporting, replaying} {
		if usual := audit.median(); 10*usual > snapshot.last() { // one page of the log may take long
			t.Errorf("during %s %d rows could not be removed, and with the snapshot %d", audit.name, usual, snapshot.last())
		}
	}
	if snapshot.last() < snapshot.events/2 || !snapshot.grows() {
		t.Errorf("a snapshot ought to hold back more and more rows, and held back %s", snapshot)
	}
	if left := b.backlog(t); 10*left > snapshot.last() {
		t.Errorf("%d rows stayed when the snapshot was given up", left)
	}
}

func wantExported(t *testing.T, out string) {
	t.Helper()
	text, err := os.ReadFile(out + ".manifest.json")
	var manifest struct{ Count int }
	if err == nil {
		err = json.Unmarshal(text, &manifest)
	}
	if err != nil || manifest.Count < longLog {
		t.Errorf("exported %d events, %v", manifest.Count, err)
	}
}

// phase holds the measurements of one phase of the test.
type phase struct {
	name    string
	events  int   // that were appended meanwhile
	backlog []int // dead rows that could not be removed, one look after the other
}

func (p phase) last() int { return p.backlog[len(p.backlog)-1] }

func (p phase) median() int { return slices.Sorted(slices.Values(p.backlog))[len(p.backlog)/2] }

// grows reports whether the backlog keeps growing. From one look to the next there may
// be less: VACUUM leaves out a page that another process is reading.
func (p phase) grows() bool {
	quarter, half := p.backlog[len(p.backlog)/4], p.backlog[len(p.backlog)/2]
	return quarter < half && half < p.last()
}

// during looks at the dead rows each time some more events were appended, until
// something is done. It is done again until there were enough looks.
func (b *busyPractice) during(t *testing.T, name string, do func()) phase {
	t.Helper()
	b.backlog(t) // left by other tests
	p, begun, done := phase{name: name}, b.head(t), make(chan struct{})
	var looks atomic.Int32
	go func() {
		defer close(done)
		for do(); looks.Load() < 5 && !t.Failed(); {
			do()
		}
	}()
	for looked := begun; !isClosed(done, 10*time.Millisecond); {
		if now := b.head(t); now-looked >= every {
			p.backlog, looked = append(p.backlog, b.backlog(t)), now
			looks.Add(1)
		}
	}
	p.events = b.head(t) - begun
	t.Logf("%-22s %6d events appended by %d writers; dead rows that could not be removed: %s", name, p.events, writers, p)
	return p
}

func isClosed(done <-chan struct{}, within time.Duration) bool {
	select {
	case <-done:
		return true
	case <-time.After(within):
		return false
	}
}

// String is the backlog: some ten looks at it.
func (p phase) String() string {
	var text strings.Builder
	for n := 0; n < len(p.backlog); n += max(1, len(p.backlog)/10) {
		fmt.Fprintf(&text, "%d ", p.backlog[n])
	}
	return text.String()
}
