package audit

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"

	"frontdesk/adapters/postgres/verification"
	"frontdesk/cmd/frontdesk/cli/term"
	"frontdesk/domain/fault"
	"frontdesk/domain/proof"
	"frontdesk/domain/proof/export"
)

// fileFlags name a file to verify without a database and without a network.
type fileFlags struct {
	In         string `env:"-" placeholder:"FILE" help:"Verify this file: an export that was made with --proof, or a proof of audit prove. It needs no database and no network."`
	Checkpoint string `env:"-" placeholder:"FILE" help:"The checkpoint that the export is compared with. Without it, the one in the export's manifest."`
}

// These refuse flags from which no verdict follows.
var (
	errNoKey        = fault.New(fault.Invalid, "key-missing", "Give the service's verifier key with --key, as you got it from the service: anyone could have signed with another key.")
	errNoNote       = fault.New(fault.Invalid, "no-checkpoint-given", "Name the signed checkpoint with --checkpoint: the export has no manifest with a checkpoint.")
	errInside       = fault.New(fault.Invalid, "checkpoint-inside", "A proof that audit prove has printed has its checkpoint in it: leave out --checkpoint.")
	errSinceOne     = fault.New(fault.Invalid, "one-since", "Give the one checkpoint that the proof goes on from, with --since.")
	errSinceNothing = fault.New(fault.Invalid, "since-without-use", "A proof of one event does not cover earlier checkpoints: leave out --since.")
)

// maxProof bounds a proof, which may carry one line of an export.
const maxProof = 128 << 20

// fileVerifier holds a file, the keys to verify it with, and the report.
type fileVerifier struct {
	fileFlags
	policy proof.Policy
	salt   *proof.Salt // nil if it is not given
	kept   []verification.Kept
	report
}

// file verifies a file.
func (c *auditVerifyCmd) file(r *term.Run) error {
	if c.Key == "" {
		return errNoKey
	}
	policy, kept, err := c.trusted()
	if err != nil {
		return err
	}
	salt, err := c.salt()
	if err != nil {
		return err
	}
	v := &fileVerifier{fileFlags: c.fileFlags, policy: *policy, salt: salt, kept: kept}
	wrong := v.verify(r)
	if err := v.print(r.Out, c.JSON, wrong); err != nil {
		return err
	}
	return wrong
}

// verify recognises the kind of the file by its beginning.
func (v *fileVerifier) verify(r *term.Run) error {
	file, err := os.Open(v.In)
	if err != nil {
		return fmt.Errorf("read %s: %w", v.In, term.Cause(err))
	}
	defer file.Close()
	text := bufio.NewReaderSize(file, 1<<20)
	begins, _ := text.Peek(len("c2sp.org/"))
	switch {
	case bytes.HasPrefix(begins, []byte("c2sp.org/")):
		return v.proof(text, v.included)
	case bytes.HasPrefix(begins, []byte("old ")):
		return v.proof(text, v.grown)
	}
	return v.export(r, text)
}

func (v *fileVerifier) proof(from io.Reader, verify func([]byte) error) error {
	if v.Checkpoint != "" {
		return errInside
	}
	text, err := io.ReadAll(io.LimitReader(from, maxProof))
	if err != nil {
		return fmt.Errorf("read %s: %w", v.In, term.Cause(err))
	}
	return verify(text)
}

func (v *fileVerifier) included(text []byte) error {
	if len(v.kept) > 0 {
		return errSinceNothing
	}
	p, err := proof.ParseInclusion(text)
	if err != nil {
		return err
	}
	c, err := v.open(p.Note)
	if err != nil {
		return err
	}
	line, err := export.Included(p, c)
	if err != nil {
		return err
	}
	if err := v.own(c, treesOfLine(line)...); err != nil {
		return err
	}
	v.addIncluded(line)
	return nil
}

func (v *fileVerifier) grown(text []byte) error {
	if len(v.kept) != 1 {
		return errSinceOne
	}
	p, err := proof.ParseConsistency(text)
	if err != nil {
		return err
	}
	c, err := v.open(p.Note)
	if err != nil {
		return err
	}
	kept := v.kept[0]
	if err := export.GoesOn(kept.Checkpoint, c); err != nil {
		return err
	}
	if p.Old != kept.Size {
		return errSinceOne.With("The proof extends a checkpoint of %d entries, and %s covers %d: give the checkpoint that it was made for.", p.Old, kept.Name, kept.Size)
	}
	if err := p.Check(kept.Root, c); err != nil {
		return err
	}
	if err := v.own(c); err != nil {
		return err
	}
	v.addGrown(kept, c)
	return nil
}

// open opens the newest checkpoint and reports its signatures.
func (v *fileVerifier) open(note []byte) (proof.Checkpoint, error) {
	c, by, err := v.policy.OpenWitnessed(note)
	if err != nil {
		return c, err
	}
	v.addSigned(c, by, v.policy)
	return c, nil
}

func (v *fileVerifier) export(r *term.Run, lines io.Reader) error {
	m, err := v.manifest()
	if err != nil {
		return err
	}
	note, from, err := v.begin(m)
	if err != nil {
		return err
	}
	newest, err := v.open(note)
	if err != nil {
		return err
	}
	checkpoints := make([]proof.Checkpoint, len(v.kept))
	for n, k := range v.kept {
		checkpoints[n] = k.Checkpoint
	}
	meter := term.NewMeter(r.Raw.Err, "verifying", "events")
	tally, err := export.Verify(lines, from, newest, checkpoints, func(done int64) { meter.Show(done, newest.Size-from.Size) })
	meter.End()
	if err != nil {
		return err
	}
	if err := v.own(newest, treesOfExport(m, tally)...); err != nil {
		return err
	}
	v.addExport(tally, newest, v.kept)
	return nil
}

var errOtherPractice = fault.New(fault.Refused, "another-practice", "The checkpoint is not one of the practice's log.")

// own verifies that a checkpoint is of the log of one of the trees. Without a tree, the
// practice is unknown.
func (v *fileVerifier) own(c proof.Checkpoint, of ...proof.Tree) error {
	switch {
	case v.salt == nil:
		v.limit("That this is the only log of its practice. Give the salt of the service's logs with --salt.")
		return nil
	case len(of) == 0:
		v.limit("The practice of the log: the file does not name it.")
		return nil
	}
	at := slices.IndexFunc(of, func(t proof.Tree) bool { return v.salt.Log(t) == c.Origin.Log })
	if at < 0 {
		return errOtherPractice.With("The checkpoint is of %s, which is not the log %s: a second history was signed, or the file is of another practice.", c.Origin, ofTree(of[0]))
	}
	v.fact("It is the log %s, and the salt allows no other one.", ofTree(of[at]))
	return nil
}

func ofTree(t proof.Tree) string {
	if t.Kind == proof.Access {
		return "of calls " + practiceOf(t.Tenant)
	}
	return "of events " + practiceOf(t.Tenant)
}

// treesOfLine returns the trees that a line can be in. A call that names a practice that
// does not exist belongs to none.
func treesOfLine(l export.Line) []proof.Tree {
	switch {
	case l.Event != nil:
		return []proof.Tree{{Tenant: l.Event.Leaf.Tenant, Kind: proof.Events}}
	case l.Access != nil:
		return []proof.Tree{{Tenant: l.Access.Leaf.Tenant, Kind: proof.Access}, {Kind: proof.Access}}
	}
	return nil
}

// treesOfExport returns the tree that a manifest names; without one, that of the events that
// are shown. It is not trusted: only the log of the tree has that identifier.
func treesOfExport(m *provedManifest, t export.Tally) []proof.Tree {
	switch {
	case m != nil && m.Kind == proof.Access.String():
		return []proof.Tree{{Tenant: m.Tenant, Kind: proof.Access}}
	case m != nil:
		return []proof.Tree{{Tenant: m.Tenant, Kind: proof.Events}}
	case t.Shown > t.Access:
		return []proof.Tree{{Tenant: t.Tenant, Kind: proof.Events}}
	}
	return nil
}

// manifest returns the part about proofs of the manifest next to the export, and nil if
// there is no manifest.
func (v *fileVerifier) manifest() (*provedManifest, error) {
	text, err := os.ReadFile(v.In + ".manifest.json")
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil //nolint:nilnil // there need not be one
	}
	if err != nil {
		return nil, fmt.Errorf("read the manifest of %s: %w", v.In, err)
	}
	var m manifest
	if err := json.Unmarshal(text, &m); err != nil {
		return nil, fmt.Errorf("read the manifest of %s: %w", v.In, err)
	}
	return m.Proof, nil
}

// begin returns the note to compare with, and the tree that the export goes on from.
func (v *fileVerifier) begin(m *provedManifest) (note []byte, from proof.Edge, err error) {
	if m != nil {
		if from, err = proof.ParseEdge(m.From, m.Edge); err != nil {
			return nil, from, fmt.Errorf("read the manifest of %s: %w", v.In, err)
		}
		note = []byte(m.Note)
	}
	if v.Checkpoint != "" {
		if note, err = os.ReadFile(v.Checkpoint); err != nil {
			return nil, from, fmt.Errorf("read %s: %w", v.Checkpoint, term.Cause(err))
		}
	}
	if len(note) == 0 {
		err = errNoNote
	}
	return note, from, err
}
