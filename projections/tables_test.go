package projections_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"frontdesk/domain/event"
)

func (d *day) refuses(t *testing.T, want error, stream event.Stream, events ...event.Event) {
	t.Helper()
	if err := d.Append(t, stream, events...); !errors.Is(err, want) {
		t.Errorf("error = %v, want %v", err, want)
	}
}

// wantTable fails unless a table holds exactly these rows, each written as the
// JSON of its columns; NULL ones may be left out.
func (d *day) wantTable(t *testing.T, table string, want ...string) {
	t.Helper()
	var text string
	err := d.Pool.QueryRow(t.Context(), `SELECT coalesce(jsonb_agg(jsonb_strip_nulls(to_jsonb(t))), '[]') FROM `+table+` t`).Scan(&text)
	if err != nil {
		t.Fatal(err)
	}
	less := func(a, b map[string]any) bool { return textOf(t, a) < textOf(t, b) }
	diff := cmp.Diff(rowsOf(t, "["+strings.Join(want, ",")+"]"), rowsOf(t, text), cmpopts.SortSlices(less), cmpopts.EquateEmpty())
	if diff != "" {
		t.Errorf("%s (-want +got):\n%s", table, diff)
	}
}

func rowsOf(t *testing.T, text string) (rows []map[string]any) {
	t.Helper()
	if err := json.Unmarshal([]byte(text), &rows); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	return rows
}

func textOf(t *testing.T, row map[string]any) string {
	t.Helper()
	text, err := json.Marshal(row)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
