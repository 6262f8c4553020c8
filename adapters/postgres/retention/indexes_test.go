package retention_test

import (
	"slices"
	"testing"
)

// A migration leaves the indexes of large partitions to retain: it makes them before
// anything is attached, and again if it was stopped while making one.
func TestPartitionsGetTheIndexesThatTheyLack_D91(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	o.calls(day(2026, 3, 1))
	o.run()
	_, err := o.owner.Exec(t.Context(), `
		DROP INDEX access_record_looks;
		CREATE INDEX access_record_looks ON ONLY access_record USING gin ((act::jsonb -> 'patients') jsonb_path_ops) WHERE mode = 'page';
		CREATE INDEX access_record_2026_05_looks ON access_record_2026_05 (tenant)`)
	must(t, err)
	o.reports = nil
	o.run()
	built := slices.DeleteFunc(slices.Clone(o.reports), func(text string) bool {
		return !slices.Contains([]string{
			"access_record: index access_record_default_looks is there", "access_record: index access_record_2026_05_looks is there"}, text)
	})
	var whole, parts int
	must(t, o.owner.QueryRow(t.Context(), `
		SELECT count(*) FILTER (WHERE indexrelid = 'access_record_looks'::regclass), count(*) FILTER (WHERE indexrelid <> 'access_record_looks'::regclass)
		FROM pg_index WHERE indisvalid AND pg_get_indexdef(indexrelid) LIKE '%patients%'`).Scan(&whole, &parts))
	if len(built) != 2 || whole != 1 || parts != 4 { // up to April, two months ahead, the default one
		t.Errorf("%d whole and %d parts are there, said %q", whole, parts, o.reports)
	}
	o.reports = nil
	o.run()
	if slices.ContainsFunc(o.reports, func(text string) bool {
		return text == "access_record: index access_record_default_looks is there"
	}) {
		t.Error("an index is made twice")
	}
}
