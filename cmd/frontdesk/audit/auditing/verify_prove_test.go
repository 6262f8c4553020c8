//go:build prove

package auditing_test

import (
	"io"
	"runtime"
	"testing"
	"time"

	"frontdesk/adapters/clock"
	"frontdesk/adapters/provetest"
	"frontdesk/domain/proof"
	"frontdesk/domain/proof/export"
)

// TestProveThatVerificationTakesLittleMemory verifies an export, in a night of a million, that is made
// while it is read, and looks at the heap all the time.
func TestProveThatVerificationTakesLittleMemory(t *testing.T) { //nolint:paralleltest // it measures memory
	const page, most = 10_000, 64 << 20
	lines := int64(provetest.Pick(1_000_000, 10_000_000))
	begun := clock.Start()
	read, write := io.Pipe()
	go func() {
		var text []byte
		e := export.EventOf(0, submitted(1))
		var err error
		for n := int64(0); n < lines && err == nil; n++ {
			e.N, e.Leaf.Idx = n, n+1
			if text, err = e.Append(text); err == nil && len(text) > 1<<20 {
				_, err = write.Write(text)
				text = text[:0]
			}
		}
		if err == nil {
			_, err = write.Write(text)
		}
		_ = write.CloseWithError(err) // nil is the end
	}()
	var highest uint64
	tally, err := export.Check(read, proof.Edge{}, nil, func(done int64) {
		if done%(100*page) == 0 {
			var heap runtime.MemStats
			runtime.ReadMemStats(&heap)
			highest = max(highest, heap.HeapAlloc)
		}
	})
	if err != nil || tally.Lines != lines {
		t.Fatalf("read %d lines, %v", tally.Lines, err)
	}
	t.Logf("%d lines made and verified in %s; the heap had %d MiB at most", lines, begun.Elapsed().Round(time.Second), highest>>20)
	provetest.Tried(t, int(tally.Lines), "lines")
	if highest > most {
		t.Errorf("it took %d bytes of memory", highest)
	}
}
