package ledger_test

import (
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"frontdesk/adapters/ledger"
	"frontdesk/domain/erasure"
	"frontdesk/domain/event"
)

func line(n byte) erasure.Line {
	return erasure.Line{
		Person:  erasure.Person{Tenant: "elm-street", Kind: event.OfPatient, Holder: uuid.UUID{15: n}},
		Erasure: erasure.ID{UUID: uuid.UUID{14: n}}, Idx: int64(n), Fingerprints: []string{"00ff"},
	}
}

func wantLines(t *testing.T, f ledger.File, want ...erasure.Line) {
	t.Helper()
	got, err := f.Lines()
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func add(t *testing.T, f ledger.File, lines ...erasure.Line) {
	t.Helper()
	if err := f.Add(lines...); err != nil {
		t.Fatal(err)
	}
}

func TestAddToLedger_D71(t *testing.T) {
	t.Parallel()
	f := ledger.File{Name: filepath.Join(t.TempDir(), "erasures")}
	wantLines(t, f)
	add(t, f)
	if text, err := os.ReadFile(f.Name); err != nil || len(text) > 0 {
		t.Errorf("before the first erasure the file holds %q, %v", text, err)
	}
	if err := (ledger.File{Name: filepath.Join(f.Name, "erasures")}).Add(); err == nil {
		t.Error("a ledger that cannot be written is taken")
	}
	add(t, f, line(1), line(2))
	add(t, f, line(3))
	wantLines(t, f, line(1), line(2), line(3))
	text, err := os.ReadFile(f.Name)
	if err != nil || !strings.Contains(string(text), `{"tenant":"elm-street","kind":1,"holder":"00000000-0000-0000-0000-000000000001","erasure":"`) {
		t.Errorf("the file is %s, %v", text, err)
	}
}

// Another system that has copied the ledger may have changed the ends of its lines. The lines
// count.
func TestLinesAcceptsOtherLineEnds_D71(t *testing.T) {
	t.Parallel()
	f := ledger.File{Name: filepath.Join(t.TempDir(), "erasures")}
	add(t, f, line(1), line(2))
	text, err := os.ReadFile(f.Name)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(f.Name, []byte(strings.ReplaceAll(string(text), "\n", " \r\n")), 0o600); err != nil {
		t.Fatal(err)
	}
	wantLines(t, f, line(1), line(2))
}

// A process that dies during a write leaves a partial line, which may end anywhere.
func TestLinesSkipsPartialLine_D71(t *testing.T) {
	t.Parallel()
	f := ledger.File{Name: filepath.Join(t.TempDir(), "erasures")}
	add(t, f, line(1))
	whole, err := os.ReadFile(f.Name)
	if err != nil {
		t.Fatal(err)
	}
	for cut := len(whole) - 2; cut > 0; cut-- { // the end of the line may be missing, but not its brace
		if err := os.WriteFile(f.Name, whole[:cut], 0o600); err != nil {
			t.Fatal(err)
		}
		add(t, f, line(2))
		wantLines(t, f, line(2))
	}
}

func TestLinesRefusesDamagedLedger_D71(t *testing.T) {
	t.Parallel()
	f := ledger.File{Name: filepath.Join(t.TempDir(), "erasures")}
	for _, damaged := range []string{`{"tenant":"elm-street"}`, `{"tenant":"elm` + "\x00" + `"}`, `}`} {
		if err := os.WriteFile(f.Name, []byte(damaged+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		if lines, err := f.Lines(); err == nil || !strings.Contains(err.Error(), "line 1 ") {
			t.Errorf("%s: %v, %v", damaged, lines, err)
		}
	}
}

func TestConcurrentAddsToLedger_D71(t *testing.T) {
	t.Parallel()
	f := ledger.File{Name: filepath.Join(t.TempDir(), "erasures")}
	var writers sync.WaitGroup
	for n := range byte(16) {
		writers.Go(func() {
			for range 10 {
				if err := f.Add(line(n+1), line(n+101)); err != nil {
					t.Error(err)
				}
			}
		})
	}
	writers.Wait()
	if lines, err := f.Lines(); err != nil || len(lines) != 16*10*2 {
		t.Errorf("%d lines, %v", len(lines), err)
	}
}
