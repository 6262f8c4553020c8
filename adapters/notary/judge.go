package notary

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"frontdesk/domain/proof"
)

// found is the result of reading all leaves.
type found struct {
	begins  int64           // number of archived leaves
	then    *progress       // the log at the signed position; nil if it ends before
	now     *progress       // at the end of the reading
	differ  map[string]bool // practices with different trees
	same    int64           // up to this idx nothing has changed, by the anchors
	changed int64           // the first anchor that differs; 0 if none does
	known   int64           // the idx up to which the first new epoch keeps the log; -1 if there is none
	kept    *progress       // the log up to the last leaf that both readings have
	apart   bool            // the readings differ before the tail of the earlier one
}

// mostLost is how long the signer has read leaves that may be lost without an operator.
const mostLost = 10 * time.Minute

// lost returns how many leaves of an earlier reading are lost, and how long the signer had
// read them. Both are unknown if more is lost than the signer has kept.
func (f *found) lost(was *progress) (leaves int64, span time.Duration, known bool) {
	if f.apart {
		return 0, 0, false
	}
	lost := was.Tail[f.kept.Idx-was.tailBegins():]
	if len(lost) > 0 {
		span = time.Duration(lost[len(lost)-1].Read-lost[0].Read) * time.Second
	}
	return int64(len(lost)), span, true
}

// judge reads everything again because of a difference, and decides which trees
// continue.
func (s *Signer) judge(ctx context.Context, kind proof.Kind, source Source, look Look, trouble string) error {
	if is := s.stopped[kind]; is != nil && is.kind == trouble && is.epoch == look.Epoch && s.Now().Before(is.again) {
		return is.why
	}
	was := s.m.Logs[kind]
	f, err := readAll(ctx, source, was, look, s.Now())
	if err != nil {
		return err
	}
	after, err := s.readState(ctx, source)
	if err != nil {
		return err
	}
	if after.Wait != "" || after.Epoch != look.Epoch {
		return errors.New("the database has come into another history while the log was read: it is read again")
	}
	return s.decide(ctx, kind, f, look, trouble)
}

func (s *Signer) decide(ctx context.Context, kind proof.Kind, f found, look Look, trouble string) error {
	was := s.m.Logs[kind]
	if kind == proof.Access {
		f.now.Epoch = max(f.now.Epoch, s.epoch())
	}
	switch {
	case f.begins > was.Idx:
		return s.stop(kind, trouble, look.Epoch, fmt.Sprintf("everything up to idx %d was archived, and this folder has signed up to %d: put its newest backup in its place",
			f.begins, was.Idx))
	case f.now.Idx < look.Head && (f.then == nil || trouble == gap):
		return s.stop(kind, trouble, look.Epoch, fmt.Sprintf("idx %d is missing", f.now.Idx+1))
	case trouble == unbegun && f.now.Epoch < look.Epoch:
		return s.stop(kind, trouble, look.Epoch, fmt.Sprintf("the database is in epoch %d, and no event begins it", look.Epoch))
	case len(f.differ) > 0 && f.now.Epoch > was.Epoch:
		return s.enter(ctx, kind, f, trouble)
	case f.then == nil:
		return s.stop(kind, trouble, look.Epoch, fmt.Sprintf("it was signed up to idx %d and ends at %d. After a restore, begin an epoch: frontdesk audit begin-epoch --epoch %d",
			was.Idx, f.now.Idx, was.Epoch+1))
	}
	for tenant, t := range was.Trees {
		t.Refused = f.differ[tenant]
	}
	was.Last, was.Suspect, s.unsaved = f.then.Last, false, true
	return nil
}

// epoch is the epoch of the events.
func (s *Signer) epoch() int {
	if p := s.m.Logs[proof.Events]; p != nil {
		return p.Epoch
	}
	return 1
}

// stop stops the signing of a whole log, with the reason.
func (s *Signer) stop(kind proof.Kind, trouble string, epoch int, why string) error {
	what := "the log"
	if kind == proof.Access {
		what = "the access record"
	}
	text := Alarm(fmt.Sprintf("%s is no longer signed: %s", what, why))
	s.stopped[kind] = &stop{text, trouble, epoch, s.Now().Add(logAgain)}
	return text
}

// enter continues in another epoch with the current log. The earlier state stays in a
// file of its own. Without an operator, it does so only if the lost end is short.
func (s *Signer) enter(ctx context.Context, kind proof.Kind, f found, trouble string) error {
	was, epoch := s.m.Logs[kind], f.now.Epoch
	lost, span, known := f.lost(was)
	accepted := s.AcceptEpoch == epoch
	why := ""
	switch {
	case accepted:
	case kind == proof.Events && f.changed != 0 && f.changed <= f.known:
		why = fmt.Sprintf("epoch %d says that everything up to idx %d is as before, and it is not: it is the same up to idx %d, and not up to %d", epoch, f.known, f.same, f.changed)
	case !known:
		why = fmt.Sprintf("epoch %d has lost more than the last %d entries", epoch, len(was.Tail))
	case span > mostLost:
		why = fmt.Sprintf("epoch %d has lost %d entries, which this signer had read for %s", epoch, lost, span)
	}
	if why != "" {
		return s.stop(kind, trouble, epoch, fmt.Sprintf("%s. If you know why, give --accept-epoch %d", why, epoch))
	}
	if lost > 0 && !accepted {
		s.m.Unacknowledged = epoch
	}
	f.now.succeed(was, f.kept)
	s.Log.ErrorContext(ctx, "the log has lost its end and continues in another epoch: compare the signed state with the log",
		slog.Int("kind", int(kind)), slog.Int("epoch", f.now.Epoch), slog.Int("epoch_before", was.Epoch), slog.Int64("signed_idx", was.Idx),
		slog.Int64("same_up_to", f.kept.Idx), slog.Int64("lost", lost), slog.Int("practices", len(f.differ)))
	s.m.Logs[kind], s.unsaved = f.now, true
	return nil
}

// readAll reads a log from its first leaf up to the head of a look, or to a missing
// leaf, and compares it with the earlier reading.
func readAll(ctx context.Context, source Source, was *progress, look Look, at time.Time) (found, error) {
	now, err := begin(ctx, source)
	if err != nil {
		return found{}, err
	}
	f := found{now: now, begins: now.Idx, known: -1}
	f.arrive(was)
	anchors := append(slices.Clone(was.Anchors), anchor{was.Idx, was.Whole.Root()})
	for f.now.Idx < look.Head {
		page, err := leaves(ctx, source, f.now.Idx, look)
		if err != nil {
			return f, err
		}
		if len(page) == 0 {
			break
		}
		for _, leaf := range page {
			f.see(leaf, was, at)
			anchors = f.compare(anchors)
		}
	}
	if f.then == nil {
		f.differ = was.differing(f.now)
	}
	if f.kept == nil {
		f.kept = f.now.clone()
	}
	f.apart = f.apart || f.kept.Idx < was.tailBegins()
	return f, nil
}

// arrive compares the readings where the tail of the earlier one begins, and at its end.
func (f *found) arrive(was *progress) {
	whole := f.now.Whole.Size == f.now.Idx && was.Whole.Size == was.Idx // no leaves were archived
	if whole && f.now.Idx == was.tailBegins() && f.now.Whole.Root() != was.Before.Root() {
		f.apart = true
	}
	if f.now.Idx == was.Idx {
		f.then = f.now.clone()
		f.differ = was.differing(f.then)
	}
}

// see adds a leaf.
func (f *found) see(leaf Leaf, was *progress, at time.Time) {
	if f.kept == nil && !was.has(leaf) {
		f.kept = f.now.clone()
	}
	if leaf.Begun != nil && leaf.Begun.Epoch > was.Epoch && f.known < 0 {
		f.known = leaf.Idx - 1
	}
	f.now.add(leaf, at)
	f.arrive(was)
	if f.now.Idx%saveEvery == 0 {
		f.now.drop()
	}
}

// has reports whether a reading has a leaf, if it is not before its tail.
func (p *progress) has(leaf Leaf) bool {
	n := leaf.Idx - p.tailBegins() - 1
	return n < 0 || n < int64(len(p.Tail)) && p.Tail[n].Hash == leaf.Hash && p.Tail[n].Tenant == leaf.Tenant
}

// compare compares the root of all leaves with the anchor at this position, if any, and
// returns the later anchors.
func (f *found) compare(anchors []anchor) []anchor {
	if len(anchors) == 0 || anchors[0].Idx != f.now.Idx {
		return anchors
	}
	if f.now.Whole.Size != f.now.Idx { // its first leaves are archived
		return anchors[1:]
	}
	switch {
	case anchors[0].Root == f.now.Whole.Root():
		f.same = f.now.Idx
	case f.changed == 0:
		f.changed = f.now.Idx
	}
	return anchors[1:]
}
