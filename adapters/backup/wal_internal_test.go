package backup

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// Without a segment in between, a later one shows nothing about an instant: a recovery ends at the gap.
func TestArchiveWithGapReachesNothing(t *testing.T) {
	t.Parallel()
	folder := Folder(t.TempDir())
	base := Base{Segment: "000000010000000000000002"}
	zeros := filepath.Join(t.TempDir(), "segment")
	if err := os.WriteFile(zeros, make([]byte, segmentSize), 0o600); err != nil {
		t.Fatal(err)
	}
	for n := 2; n <= 4; n++ {
		name := fmt.Sprintf("%08X%016X", 1, n)
		if err := folder.Archive(zeros, name); err != nil {
			t.Fatal(err)
		}
	}
	info, err := os.Stat(folder.wal("000000010000000000000004"))
	if err != nil {
		t.Fatal(err)
	}
	if !folder.reaches(base, info.ModTime().Add(-time.Second)) || folder.reaches(base, info.ModTime().Add(time.Second)) {
		t.Error("a whole archive reaches up to its last segment")
	}
	if info.Size() > 20<<10 {
		t.Errorf("an empty segment takes %d bytes", info.Size())
	}
	if err := os.Truncate(folder.wal("000000010000000000000003"), info.Size()/2); err != nil {
		t.Fatal(err)
	}
	if _, err := folder.checkWAL(base); err == nil || !strings.Contains(err.Error(), "000000010000000000000003 is not whole") {
		t.Errorf("half of a segment: %v", err)
	}
	if err := os.Remove(folder.wal("000000010000000000000003")); err != nil {
		t.Fatal(err)
	}
	if folder.reaches(base, info.ModTime().Add(-time.Second)) {
		t.Error("an archive with a gap reaches an instant behind it")
	}
}

func TestSegmentsFollowEachOther(t *testing.T) {
	t.Parallel()
	for n, want := range map[uint64]uint64{0: 1, 0xFE: 0xFF, 0xFF: 1 << 32, 1<<32 | 0xFF: 2 << 32} {
		if got := next(n); got != want {
			t.Errorf("%#x is followed by %#x, not %#x", n, got, want)
		}
	}
}
