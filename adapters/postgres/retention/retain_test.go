package retention_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
)

func TestPartitionsAreAheadOfTheLines_D72(t *testing.T) {
	t.Parallel()
	for name, large := range map[string]bool{"small": false, "large": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := newOffice(t)
			if large {
				o.TakeAllForLarge()
			}
			o.calls(day(2024, 1, 2), day(2026, 3, 1))
			o.run()
			o.calls(day(2026, 3, 31), day(2026, 4, 1), day(2026, 5, 2))
			o.wantMonths("access_record", map[string]int{"until_2026_05": 4, "2026_05": 1, "default": 0})
			o.run()
			o.now = day(2026, 4, 30)
			o.run()
			o.wantMonths("access_record", map[string]int{"until_2026_05": 4, "2026_05": 1, "2026_06": 0, "default": 0})
			o.now = day(2026, 9, 30) // there were no runs in between
			o.calls(day(2026, 7, 1), day(2026, 9, 30))
			o.run()
			o.wantMonths("access_record", map[string]int{"until_2026_05": 4, "2026_05": 1, "2026_06": 0, "until_2026_11": 2, "2026_11": 0, "default": 0})
			o.wantMonths("delivered", map[string]int{"until_2026_05": 0, "2026_05": 0, "2026_06": 0, "until_2026_11": 0, "2026_11": 0, "default": 0})
			var bounds int
			must(t, o.owner.QueryRow(t.Context(), `SELECT count(*) FROM pg_constraint WHERE conname = 'retain_bounds'`).Scan(&bounds))
			if bounds > 0 {
				t.Error("a constraint is left")
			}
		})
	}
}

func TestOldEventsAreMovedToFiles_D72(t *testing.T) {
	t.Parallel()
	o := aged(t, september)
	calls, delivered := o.all("access_record", "request_id"), o.all("delivered", "event")
	o.run()
	o.wantMonths("access_record", map[string]int{"2026_07": 2, "2026_08": 2, "2026_09": 0, "2026_10": 0, "2026_11": 0, "default": 0})
	o.run() // finds no more work
	wantWhole(t, calls, o.all("access_record", "request_id"), o.archived("access_record", "request_id"))
	wantWhole(t, delivered, o.all("delivered", "event"), o.archived("delivered", "event"))
	var manifest struct {
		File, Record, SHA256 string
		From, To             *time.Time
		Lines                int
	}
	text, err := os.ReadFile(filepath.Join(o.Dir, "access_record_2026_05.jsonl.gz.manifest.json"))
	must(t, err)
	must(t, json.Unmarshal(text, &manifest))
	if manifest.Lines != 2 || !manifest.From.Equal(day(2026, 5, 1).Add(-12*time.Hour)) || manifest.Record != "access_record" {
		t.Errorf("the manifest is %s", text)
	}
	var lines int
	var digest string
	must(t, o.owner.QueryRow(t.Context(), `SELECT lines, sha256 FROM archives WHERE name = 'access_record_2026_05' AND archived_at IS NOT NULL`).Scan(&lines, &digest))
	entry := o.log()["access_record_2026_05"]
	if digest != manifest.SHA256 || entry.SHA256.String() != digest || lines != 2 || entry.Lines != 2 {
		t.Errorf("the database says %d lines, %s; the log %+v; the manifest %s", lines, digest, entry, text)
	}
}

var remedy = regexp.MustCompile("(?s)```\nBEGIN;\n.*?```")

// Lines from a wrong clock are named, and the page's remedy helps.
func TestLinesOfAWrongClockArePutAside_D72(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	o.run()
	o.calls(day(2026, 3, 20), day(2031, 1, 1))
	if err := o.Run(t.Context()); err == nil || !strings.Contains(err.Error(), "access_record_default has lines from 2031-01-01T12:00:00Z to 2031-01-01T12:00:00Z") {
		t.Errorf("it says %v", err)
	}
	page, err := os.ReadFile("../../../docs/privacy/archives.md")
	must(t, err)
	mend := strings.Trim(remedy.FindString(string(page)), "`")
	_, err = o.owner.Exec(t.Context(), mend, pgx.QueryExecModeSimpleProtocol)
	must(t, err)
	o.run()
	o.wantMonths("access_record", map[string]int{"until_2026_05": 1, "2026_05": 0, "strayed": 1, "default": 0})
	if numbered := o.numbered(); len(numbered) != 2 {
		t.Errorf("%d lines can be read by their numbers", len(numbered))
	}
}
