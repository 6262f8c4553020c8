package notary

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"slices"

	"golang.org/x/mod/sumdb/note"

	"frontdesk/domain/proof"
)

// head is the newest checkpoint of a tree, on its way out.
type head struct {
	tree       proof.Tree
	checkpoint proof.Checkpoint
	left       []left              // the earlier epochs
	signed     []byte              // by the log's key only
	cosigned   map[*Witness][]byte // signature lines
	published  bool
}

// note returns the checkpoint with all its signatures.
func (h *head) note() []byte {
	text := bytes.Clone(h.signed)
	for _, lines := range slices.SortedFunc(maps.Values(h.cosigned), bytes.Compare) {
		text = append(text, lines...)
	}
	return text
}

// sign signs each tree that has grown. The signed state is on disk.
func (s *Signer) sign() error {
	for kind, p := range s.m.Logs {
		if s.stopped[kind] != nil {
			continue
		}
		for tenant, t := range p.Trees {
			if t.Refused || t.Edge.Size == 0 {
				continue
			}
			tree := proof.Tree{Tenant: tenant, Kind: kind}
			s.adopt(tree, p.Epoch, t)
			origin := proof.Origin{Name: s.Key.Name(), Log: s.Key.Salt.Log(tree), Epoch: p.Epoch}
			c := proof.Checkpoint{Origin: origin, Size: t.Edge.Size, Root: t.Edge.Root(), Left: t.epochs()}
			if h := s.heads[tree]; h != nil && h.checkpoint == c {
				continue
			}
			signed, err := c.Sign(s.Key)
			if err != nil {
				return err
			}
			s.heads[tree] = &head{tree: tree, checkpoint: c, left: t.Left, signed: signed, cosigned: map[*Witness][]byte{}}
		}
	}
	return nil
}

// adopt takes the earlier epochs of a tree from its published checkpoint, if the state is
// lost: in one epoch, all checkpoints name the same.
func (s *Signer) adopt(tree proof.Tree, epoch int, t *tree) {
	c, published := s.named[tree]
	if !s.Adopt || !published || c.Origin.Epoch != epoch || c.Left == t.epochs() {
		return
	}
	t.Left, s.unsaved = nil, true
	for _, l := range c.Left.All() {
		t.Left = append(t.Left, left{Epoch: l.Epoch, Size: l.Size, Root: l.Root})
	}
}

// publishAtOnce is the number of notes in one statement.
const publishAtOnce = 500

// publish publishes the unpublished notes.
func (s *Signer) publish(ctx context.Context) error {
	var waiting []*head
	for _, h := range s.heads {
		if !h.published {
			waiting = append(waiting, h)
		}
	}
	for some := range slices.Chunk(waiting, publishAtOnce) {
		if err := s.publishSome(ctx, some); err != nil {
			return err
		}
	}
	return nil
}

func (s *Signer) publishSome(ctx context.Context, some []*head) error {
	ctx, cancel := context.WithTimeout(ctx, publishing)
	defer cancel()
	var notes []Published
	for _, h := range some {
		notes = append(notes, Published{h.tree, h.checkpoint.Origin.Epoch, h.checkpoint.Size, h.note()})
	}
	if err := s.Publisher.Publish(ctx, notes); err != nil {
		return fmt.Errorf("publish checkpoints: %w", err)
	}
	for _, h := range some {
		h.published = true
		s.named[h.tree] = h.checkpoint
	}
	return nil
}

// readPublished reads the published checkpoints. It ignores notes without a signature by
// this key.
func (s *Signer) readPublished(ctx context.Context) error {
	published, err := s.Publisher.Published(ctx)
	if err != nil {
		return fmt.Errorf("read the published checkpoints: %w", err)
	}
	verifier, err := note.NewVerifier(s.Key.Verifier)
	if err != nil {
		return fmt.Errorf("read the verifier key: %w", err)
	}
	s.named = map[proof.Tree]proof.Checkpoint{}
	for _, p := range published {
		opened, err := note.Open(p.Note, note.VerifierList(verifier))
		if err != nil {
			continue
		}
		c, err := proof.ParseCheckpoint(opened.Text)
		if err != nil || c.Origin.Name != s.Key.Name() {
			continue
		}
		s.named[p.Tree] = c
	}
	return nil
}
