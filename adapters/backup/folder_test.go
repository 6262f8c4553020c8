package backup_test

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"frontdesk/adapters/backup"
)

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func write(t *testing.T, name, text string) string {
	t.Helper()
	must(t, os.MkdirAll(filepath.Dir(name), 0o700))
	must(t, os.WriteFile(name, []byte(text), 0o600))
	return name
}

// A name has one content for ever: Postgres repeats archive_command after a crash, and another
// cluster may use the same folder by mistake.
func TestArchiveNeverReplacesWAL(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	folder := backup.Folder(dir)
	const name = "000000010000000000000001"
	one, other := write(t, filepath.Join(t.TempDir(), "one"), "one"), write(t, filepath.Join(t.TempDir(), "other"), "other")
	write(t, filepath.Join(dir, "wal", name+".gz.new"), "half of a killed run")
	must(t, folder.Archive(one, name))
	must(t, folder.Archive(one, name))
	if err := folder.Archive(other, name); err == nil || !strings.Contains(err.Error(), "another content") {
		t.Errorf("another content: %v", err)
	}
	for _, bad := range []string{"../lock", "000000010000000000000001/..", "x"} {
		if err := folder.Archive(one, bad); err == nil {
			t.Errorf("the name %q is taken", bad)
		}
	}
	into := filepath.Join(t.TempDir(), "RECOVERYXLOG")
	must(t, folder.Fetch(name, into))
	if got, err := os.ReadFile(into); err != nil || string(got) != "one" {
		t.Errorf("fetched %q, %v", got, err)
	}
	for damage, content := range map[string]string{"no gzip": "one", "more than a segment": larger(t)} {
		write(t, filepath.Join(dir, "wal", name+".gz"), content)
		if err := folder.Fetch(name, into); err == nil || !strings.Contains(err.Error(), "damaged") {
			t.Errorf("%s: %v", damage, err)
		}
	}
	if err := folder.Fetch("000000010000000000000002", into); !errors.Is(err, backup.ErrNoWAL) {
		t.Errorf("what is not archived: %v", err)
	}
}

// larger is a compressed file that is larger than a segment.
func larger(t *testing.T) string {
	t.Helper()
	var made bytes.Buffer
	to := gzip.NewWriter(&made)
	_, err := to.Write(make([]byte, 17<<20))
	must(t, err)
	must(t, to.Close())
	return made.String()
}

// based puts the description of a base backup into a folder.
func based(t *testing.T, dir string, ended time.Time, segment string) string {
	t.Helper()
	name := ended.Format("base-20060102T150405Z")
	text, err := json.Marshal(backup.Base{Ended: ended, Segment: segment})
	must(t, err)
	write(t, filepath.Join(dir, name, "backup.json"), string(text))
	return name
}

func TestBaseIsTheLastBeforeAnInstant(t *testing.T) {
	t.Parallel()
	dir, noon := t.TempDir(), time.Date(2026, 3, 2, 12, 0, 0, 0, time.UTC)
	folder := backup.Folder(dir)
	if _, err := folder.Before(noon); !errors.Is(err, backup.ErrNone) {
		t.Errorf("without a backup: %v", err)
	}
	first := based(t, dir, noon, "000000010000000000000002")
	second := based(t, dir, noon.Add(time.Hour), "000000010000000000000004")
	write(t, filepath.Join(dir, "base-20260303T120000Z.new", "backup.json"), "a draft")
	for at, want := range map[time.Time]string{noon: first, noon.Add(time.Hour - 1): first, noon.Add(time.Hour): second, {}: second} {
		if base, err := folder.Before(at); err != nil || base.Name != want {
			t.Errorf("for %v: %s, %v; want %s", at, base.Name, err, want)
		}
	}
	if _, err := folder.Before(noon.Add(-1)); err == nil || !strings.Contains(err.Error(), "2026-03-02T12:00:00Z") {
		t.Errorf("before the oldest: %v", err)
	}
}

func TestPruneKeepsWALOfKeptBackups(t *testing.T) {
	t.Parallel()
	dir, noon := t.TempDir(), time.Date(2026, 3, 2, 12, 0, 0, 0, time.UTC)
	folder := backup.Folder(dir)
	old := based(t, dir, noon, "000000010000000000000002")
	based(t, dir, noon.Add(time.Hour), "000000020000000000000004") // a failover was in between
	for n := range 6 {
		write(t, filepath.Join(dir, "wal", fmt.Sprintf("%08X%016X.gz", 1+n/4, n)), "")
	}
	write(t, filepath.Join(dir, "wal", "00000002.history.gz"), "")
	want := backup.Pruned{Bases: []string{old}, Segments: []string{"000000010000000000000000", "000000010000000000000001", "000000010000000000000002", "000000010000000000000003"}}
	for _, dry := range []bool{true, false} {
		gone, err := folder.Prune(t.Context(), 1, dry)
		if diff := cmp.Diff(want, gone); diff != "" || err != nil {
			t.Errorf("dry %v: %v (-want +got):\n%s", dry, err, diff)
		}
	}
	left, err := filepath.Glob(filepath.Join(dir, "wal", "*"))
	if err != nil || len(left) != 3 {
		t.Errorf("left: %v, %v", left, err)
	}
	if _, err := folder.Prune(t.Context(), 0, false); err == nil {
		t.Error("no backup is kept")
	}
}

func TestMetricsFileNamesTheLastBackup(t *testing.T) {
	t.Parallel()
	dir, noon := t.TempDir(), time.Date(2026, 3, 2, 12, 0, 0, 0, time.UTC)
	based(t, dir, noon, "000000010000000000000002")
	file := filepath.Join(t.TempDir(), "frontdesk.prom")
	must(t, backup.Folder(dir).WriteMetrics(file))
	if got, err := os.ReadFile(file); err != nil || string(got) != "# TYPE frontdesk_backup_completed_timestamp_seconds gauge\nfrontdesk_backup_completed_timestamp_seconds 1772452800\n" {
		t.Errorf("%q, %v", got, err)
	}
}
