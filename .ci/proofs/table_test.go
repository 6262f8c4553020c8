package proofs_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"frontdesk/.ci/proofs"
)

var (
	ended = time.Date(2026, 11, 25, 23, 10, 0, 0, time.UTC)
	kills = proofs.Row{
		Proof: proofs.Proof{Name: "TestProveThatKillsLoseNothing", Folder: "cmd/frontdesk"}, Commit: "5bda796d12", At: ended,
		Tried: "3 kills, 200 requests", Result: proofs.Passed, Seconds: 34,
	}
	parse = proofs.Row{
		Proof: proofs.Proof{Name: "FuzzParse", Folder: "adapters/bearer"}, Commit: "5bda796d12-dirty", At: ended, Result: "failed: it tried nothing",
	}
)

func TestTableIsReadAsWritten(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	if rows, err := proofs.Read(root); rows != nil || err != nil {
		t.Errorf("without a page there are %v, %v", rows, err)
	}
	if err := os.MkdirAll(filepath.Join(root, "docs/contribute"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := proofs.Write(root, []proofs.Row{kills, parse}); err != nil {
		t.Fatal(err)
	}
	rows, err := proofs.Read(root)
	if err != nil || !slices.Equal(rows, []proofs.Row{parse, kills}) {
		t.Errorf("read %+v, %v", rows, err)
	}
}

func TestReasonKeepsToItsCell(t *testing.T) {
	t.Parallel()
	row := kills
	row.Result = "failed: `a` | <b>\n  c"
	rows, err := proofs.Parse(proofs.Format([]proofs.Row{row}))
	if err != nil || len(rows) != 1 || rows[0].Result != "failed: 'a' / ‹b› c" {
		t.Errorf("read %+v, %v", rows, err)
	}
}

func TestBadTables(t *testing.T) {
	t.Parallel()
	good := proofs.Format([]proofs.Row{kills})
	for name, change := range map[string][2]string{
		"no table":            {"| proof |", "| test |"},
		"a column is missing": {"| 34 |", "|"},
		"no date":             {"2026-11-25", "yesterday"},
		"no seconds":          {"| 34 |", "| long |"},
		"another result":      {"| passed |", "| green |"},
		"zero kills":          {"3 kills", "0 kills"},
		"no count":            {"3 kills", "kills"},
		"a second row":        {"\n| `Test", "\n" + strings.Split(good, "\n")[8] + "\n| `Test"},
		"text behind":         {"| 34 |\n", "| 34 |\n\nText"},
	} {
		bad := strings.Replace(good, change[0], change[1], 1)
		if bad == good {
			t.Fatalf("%s: nothing was changed", name)
		}
		if rows, err := proofs.Parse(bad); err == nil {
			t.Errorf("%s: read %+v", name, rows)
		}
	}
}

func TestDoubts(t *testing.T) {
	t.Parallel()
	idle := kills
	idle.Name, idle.Tried = "TestProveIdle", ""
	never := proofs.Proof{Name: "TestProveNever", Folder: "cmd/frontdesk"}
	got := proofs.Doubts([]proofs.Row{kills, parse, idle}, []proofs.Proof{kills.Proof, parse.Proof, idle.Proof, never})
	want := []string{
		"FuzzParse in adapters/bearer: failed: it tried nothing", "TestProveIdle in cmd/frontdesk: it tried nothing",
		"TestProveNever in cmd/frontdesk: it never ran",
	}
	if !slices.Equal(got, want) {
		t.Errorf("doubts are %q, want %q", got, want)
	}
}

func TestFindIgnoresOtherModules(t *testing.T) {
	t.Parallel()
	proof := &fstest.MapFile{Data: []byte("package a\n\nfunc TestProveA(t *testing.T) {}\nfunc TestProver(t *testing.T) {}\nfunc FuzzB(f *testing.F) {}\n\nconst text = `\nfunc TestProveC(t *testing.T) {}\n`\n")}
	found, err := proofs.Find(fstest.MapFS{
		"go.mod": {}, "a/a_test.go": proof, "a/a.go": proof, "b/go.mod": {}, "b/c/c_test.go": proof, "testdata/d_test.go": proof,
	})
	want := []proofs.Proof{{Name: "FuzzB", Folder: "a"}, {Name: "TestProveA", Folder: "a"}}
	if err != nil || !slices.Equal(found, want) {
		t.Errorf("found %v, %v", found, err)
	}
}
