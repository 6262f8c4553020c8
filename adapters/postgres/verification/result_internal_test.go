package verification

import "testing"

// However much differs, the result is bounded, with the number of further findings.
func TestFindingsAreBounded_D81(t *testing.T) {
	t.Parallel()
	var r Result
	for n := range mostFound + 7 {
		r.Add(Finding{Check: Gap}, "%d", n).Count++
	}
	if len(r.Found) != mostFound || r.More != 7 || r.Found[3].Says != "3" || r.Found[3].Count != 1 {
		t.Errorf("%d findings and %d more", len(r.Found), r.More)
	}
}
