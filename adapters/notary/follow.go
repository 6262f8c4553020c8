package notary

import (
	"context"
	"errors"
	"fmt"
	"time"

	"frontdesk/domain/proof"
)

// stop is why a whole log is not signed at the moment.
type stop struct {
	why   Alarm
	kind  string // of trouble; the same trouble is not examined again before
	epoch int    // a change of the epoch, or
	again time.Time
}

// Kinds of trouble that a round finds without reading everything.
const (
	shorter = "shorter" // the log ends before the last leaf that was read
	other   = "other"   // that leaf has changed
	gap     = "gap"     // there is no leaf where the next one should be
	unbegun = "unbegun" // the database is in a later epoch, whose beginning was not read
	suspect = "suspect" // the rereading has found a difference, or everything must be read first
)

// follow reads on in one log. If it finds a difference, it examines it.
func (s *Signer) follow(ctx context.Context, kind proof.Kind, source Source) error {
	look, err := s.readState(ctx, source)
	if err != nil {
		return err
	}
	if look.Wait != "" {
		return fmt.Errorf("nothing is signed yet: %s", look.Wait)
	}
	if s.m.Logs[kind] == nil {
		if s.m.Logs[kind], err = begin(ctx, source); err != nil {
			return err
		}
	}
	return s.readOrJudge(ctx, kind, source, look)
}

var errMoving = errors.New("the log changes while it is read: it is read again")

// readOrJudge reads on, and once more if a difference has turned out to be harmless, or
// is resolved.
func (s *Signer) readOrJudge(ctx context.Context, kind proof.Kind, source Source, look Look) error {
	for range 3 {
		trouble, err := s.readOn(ctx, kind, source, look)
		if err != nil {
			return err
		}
		if trouble == "" {
			s.clearTrouble(kind)
			return nil
		}
		if err := s.judge(ctx, kind, source, look, trouble); err != nil {
			return err
		}
	}
	return errMoving
}

// clearTrouble clears the log's trouble. The access record continues in the epoch of the
// events.
func (s *Signer) clearTrouble(kind proof.Kind) {
	delete(s.stopped, kind)
	if p := s.m.Logs[kind]; p.Epoch < s.epoch() {
		p.enter(s.epoch())
		s.unsaved = true
	}
}

func (s *Signer) readState(ctx context.Context, source Source) (Look, error) {
	ctx, cancel := context.WithTimeout(ctx, lookLimit)
	defer cancel()
	look, err := source.Look(ctx)
	if err != nil {
		return Look{}, fmt.Errorf("look at the log: %w", err)
	}
	return look, nil
}

// readOn rereads the last leaf and reads the new ones, and returns any trouble.
func (s *Signer) readOn(ctx context.Context, kind proof.Kind, source Source, look Look) (trouble string, err error) {
	p := s.m.Logs[kind]
	switch {
	case p.Suspect:
		return suspect, nil
	case look.Head < p.Idx:
		return shorter, nil
	case look.Head == 0:
		return "", nil
	}
	last := p.Idx > look.Kept // it is still there to be reread
	after := p.Idx
	if last {
		after--
	}
	page, err := leaves(ctx, source, after, look)
	if err != nil {
		return "", err
	}
	if last {
		if len(page) == 0 || page[0].Hash != p.Last {
			return other, nil
		}
		page = page[1:]
	}
	trouble, err = s.take(ctx, kind, source, page, look)
	if trouble == "" && kind == proof.Events && look.Epoch > p.Epoch {
		trouble = unbegun // its event may have taken the place of one that was read
	}
	return trouble, err
}

// begin returns the progress of a log at its first leaf.
func begin(ctx context.Context, source Source) (*progress, error) {
	ctx, cancel := context.WithTimeout(ctx, lookLimit)
	defer cancel()
	kept, err := source.Kept(ctx)
	if err != nil {
		return nil, fmt.Errorf("ask where the log begins: %w", err)
	}
	return newProgress(kept), nil
}

// take adds leaves up to the log's head.
func (s *Signer) take(ctx context.Context, kind proof.Kind, source Source, page []Leaf, look Look) (trouble string, err error) {
	p := s.m.Logs[kind]
	saved := p.Idx
	for p.Idx < look.Head {
		if len(page) == 0 {
			if page, err = leaves(ctx, source, p.Idx, look); err != nil {
				return "", err
			}
		}
		if len(page) == 0 {
			return gap, nil
		}
		for _, leaf := range page {
			p.add(leaf, s.Now())
		}
		page, s.unsaved = nil, true
		if p.Idx-saved < saveEvery {
			continue
		}
		if err := s.save(); err != nil {
			return "", err
		}
		saved = p.Idx
	}
	return "", nil
}

// leaves returns a page up to the first missing leaf, and no further than the head of a
// look. A serving process can append an event that claims to begin an epoch. Up to that
// head, one of a later epoch than the database's begins none.
func leaves(ctx context.Context, source Source, after int64, look Look) ([]Leaf, error) {
	ctx, cancel := context.WithTimeout(ctx, pageLimit)
	defer cancel()
	page, err := source.Leaves(ctx, after)
	if err != nil {
		return nil, fmt.Errorf("read the log after idx %d: %w", after, err)
	}
	for n, leaf := range page {
		if leaf.Idx != after+int64(n)+1 || leaf.Idx > look.Head {
			return page[:n], nil
		}
		if leaf.Begun != nil && leaf.Begun.Epoch > look.Epoch {
			page[n].Begun = nil
		}
	}
	return page, nil
}
