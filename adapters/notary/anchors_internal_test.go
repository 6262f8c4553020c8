package notary

import (
	"testing"
	"time"

	"golang.org/x/mod/sumdb/tlog"
)

// The anchors are few, and close enough to show where a log begins to differ.
func TestAnchorsAreFewAndNear(t *testing.T) {
	t.Parallel()
	p := newProgress(Kept{})
	const rounds = 3000
	for n := range int64(rounds) {
		p.add(Leaf{Idx: n + 1, Hash: tlog.Hash{byte(n)}}, time.Time{})
		p.drop()
	}
	if len(p.Anchors) > 100 {
		t.Errorf("there are %d anchors", len(p.Anchors))
	}
	for n, a := range p.Anchors[1:] {
		if before := p.Anchors[n]; a.Idx <= before.Idx || a.Idx-before.Idx > 2+(rounds-before.Idx)/3 {
			t.Errorf("%d follows %d, at %d", a.Idx, before.Idx, p.Idx)
		}
	}
}

// An anchor is a root of the whole log, so a log whose beginning is archived has none.
// There is one at each position.
func TestAnchorsCoverWholeLogs(t *testing.T) {
	t.Parallel()
	whole, archived := newProgress(Kept{}), newProgress(Kept{Idx: 5})
	for n := range int64(3) {
		for _, p := range []*progress{whole, archived} {
			p.add(Leaf{Idx: p.Idx + 1, Hash: tlog.Hash{byte(n)}}, time.Time{})
			p.drop()
			p.drop()
		}
	}
	if len(whole.Anchors) != 3 || len(archived.Anchors) != 0 {
		t.Errorf("anchors are %v, and %v of an archived log", whole.Anchors, archived.Anchors)
	}
}
