package verification

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"golang.org/x/mod/sumdb/note"

	"frontdesk/domain/fault"
	"frontdesk/domain/proof"
)

// Kept is a checkpoint that was kept out of reach of anyone who can change the
// database.
type Kept struct {
	Name string // such as its file
	proof.Checkpoint
}

// published is a row of the table of checkpoints.
type published struct {
	tree   proof.Tree
	epoch  int
	day    time.Time
	size   int64
	note   string
	at     time.Time
	newest bool // of its tree
}

// name is a row's name in the result.
func (p published) name() string {
	return fmt.Sprintf("the checkpoint of epoch %d and %s", p.epoch, p.day.Format(time.DateOnly))
}

const readPublished = `
SELECT tenant, kind, epoch, day, size, note, signed_at, lead(day) OVER (PARTITION BY tenant, kind ORDER BY epoch, day) IS NULL
FROM checkpoints ORDER BY tenant, kind, epoch, day`

// promises reads every published checkpoint, and adds the kept ones. The faults of
// single checkpoints go into the result.
func (r *reading) promises(ctx context.Context) error {
	rows, _ := r.DB.Query(ctx, readPublished)
	logs := map[uuid.UUID]proof.Tree{}
	var p published
	_, err := pgx.ForEachRow(rows, []any{&p.tree.Tenant, &p.tree.Kind, &p.epoch, &p.day, &p.size, &p.note, &p.at, &p.newest}, func() error {
		r.published(p, logs)
		return nil
	})
	if err != nil {
		return fmt.Errorf("read the published checkpoints: %w", err)
	}
	if r.foreign > 0 {
		r.Uncheck("whose %d checkpoints of earlier days are: another key has signed them", r.foreign)
	}
	for _, k := range r.Notes {
		r.kept(k, logs)
	}
	r.epochs()
	return nil
}

func (r *reading) published(p published, logs map[uuid.UUID]proof.Tree) {
	found := Finding{Check: Published, Tenant: p.tree.Tenant, Kind: p.tree.Kind.String()}
	c, err := r.trusted(p)
	if err != nil {
		r.Add(found, "%s is not one to trust: %s", p.name(), reason(err))
		return
	}
	if other, known := logs[c.Origin.Log]; c.Size != p.size || c.Origin.Epoch != p.epoch || known && other != p.tree {
		r.Add(found, "%s stands where another one belongs: it is of %s at size %d", p.name(), c.Origin, c.Size)
		return
	}
	if r.Salt != nil && c.Origin.Log != r.Salt.Log(p.tree) {
		r.Add(found, "%s is of %s, which is not the log of this practice: a second history was signed", p.name(), c.Origin)
		return
	}
	logs[c.Origin.Log] = p.tree
	r.tree(p.tree).last = c
	r.claim(p.tree, claim{check: Published, size: c.Size, root: c.Root, name: p.name(), epoch: c.Origin.Epoch, at: p.at})
}

// trusted returns the checkpoint of a row. Only the newest of a tree must be witnessed:
// a witness may have been unavailable at the end of another day. Nor must an older one
// be signed with the current key.
func (r *reading) trusted(p published) (proof.Checkpoint, error) {
	signed := []byte(p.note)
	if r.Trusts == nil {
		return proof.ParseNote(signed) // with any signer
	}
	if p.newest {
		return r.Trusts.Open(signed)
	}
	if byOthers(signed, r.Trusts.Key) {
		r.foreign++
		return proof.ParseNote(signed)
	}
	return proof.Policy{Key: r.Trusts.Key}.Open(signed)
}

// byOthers reports whether a note has signatures, but none that claims to be of a key.
func byOthers(signed []byte, key note.Verifier) bool {
	_, err := note.Open(signed, note.VerifierList())
	unverified, ok := errors.AsType[*note.UnverifiedNoteError](err)
	return ok && !slices.ContainsFunc(unverified.Note.UnverifiedSigs, func(s note.Signature) bool { return s.Name == key.Name() && s.Hash == key.KeyHash() })
}

// reason is the text of a refusal, or of any other error.
func reason(err error) string {
	if refused, ok := errors.AsType[*fault.Error](err); ok {
		return refused.Detail
	}
	return err.Error()
}

// kept finds the tree of a kept checkpoint by the published ones of the same log.
func (r *reading) kept(k Kept, logs map[uuid.UUID]proof.Tree) {
	key, known := logs[k.Origin.Log]
	if !known {
		r.Add(Finding{Check: KeptNote}, "%s is a checkpoint of %s, and none of this log is published here", k.Name, k.Origin)
	}
	for tree := range r.trees {
		if r.Salt != nil && r.Salt.Log(tree) == k.Origin.Log {
			key, known = tree, true
		}
	}
	if !known {
		return
	}
	r.claim(key, claim{check: KeptNote, size: k.Size, root: k.Root, name: k.Name, epoch: k.Origin.Epoch})
}

func (r *reading) claim(key proof.Tree, c claim) {
	t := r.tree(key)
	if c.size == 0 { // as it is now
		r.judge(t, c, 0)
		return
	}
	t.due = append(t.due, c)
	slices.SortStableFunc(t.due, func(a, b claim) int { return cmp.Compare(a.size, b.size) })
}

// epochs reports the earlier epochs that the newest checkpoints name. The trees must begin
// with the leaves that these name.
func (r *reading) epochs() {
	trees := map[int]int{}
	for of, t := range r.trees {
		r.Epoch = max(r.Epoch, t.last.Origin.Epoch)
		for _, l := range t.last.Left.All() {
			if l.Size > 0 {
				trees[l.Epoch]++
			}
			r.claim(of, claim{
				check: Published, size: l.Size, root: l.Root, epoch: t.last.Origin.Epoch,
				name: fmt.Sprintf("the checkpoint of epoch %d for epoch %d", t.last.Origin.Epoch, l.Epoch),
			})
		}
	}
	for _, epoch := range slices.Sorted(maps.Keys(trees)) {
		r.Left = append(r.Left, LeftEpoch{epoch, trees[epoch]})
	}
}
