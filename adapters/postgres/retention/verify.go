package retention

import (
	"cmp"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"

	"github.com/google/uuid"

	"frontdesk/domain/fault"
	"frontdesk/domain/proof"
	"frontdesk/domain/proof/export"
)

// Verified is a verified piece of an archive.
type Verified struct {
	Tenant string    `json:"tenant"` // the practice of its tree; "" for none
	Log    uuid.UUID `json:"log"`    // as in its checkpoint
	From   int64     `json:"from"`   // the number of its first leaf
	Size   int64     `json:"size"`   // up to here, exclusive
	Lines  int64     `json:"lines"`  // number of lines in full
}

// Compares reports whether a checkpoint was compared with the piece: it is of the same
// log, and its size is within the piece.
func (v Verified) Compares(kept proof.Checkpoint) bool {
	return kept.Origin.Log == v.Log && kept.Size >= v.From && kept.Size <= v.Size
}

// errNoPieces: an archive cannot be verified without the database.
var errNoPieces = fault.New(fault.Invalid, "archive-without-proof",
	"This archive has no proof: it was written before there were any, or it is none of the access record. Compare its SHA-256 with audit.archived.v1 in the log.")

// errLacks refuses an archive that lacks a line. The hash of a line excludes another line,
// but does not prove its content.
var errLacks = fault.New(fault.Refused, "archive-lacks-lines", "The archive lacks lines.")

// Verify reads archives of one service, each with the manifest next to it. It returns an
// error unless each piece agrees with a checkpoint that the policy trusts, and with kept
// checkpoints of its log, and unless the archives have each line of their periods: a line
// that one of them has only as a hash has to be in another one (D138). It needs no database.
func Verify(paths []string, policy proof.Policy, kept []proof.Checkpoint) ([]Verified, error) {
	v := verifier{policy: policy, kept: kept, whole: map[uuid.UUID]spans{}, hidden: map[uuid.UUID]spans{}, tenants: map[uuid.UUID]string{}}
	for _, path := range paths {
		if err := v.archive(path); err != nil {
			return nil, err
		}
	}
	return v.all, v.lacking()
}

// verifier reads archives one after another.
type verifier struct {
	policy        proof.Policy
	kept          []proof.Checkpoint
	all           []Verified
	whole, hidden map[uuid.UUID]spans // numbers of lines in full, and of hashes, by log
	tenants       map[uuid.UUID]string
}

func (v *verifier) archive(path string) error {
	m, err := readManifest(path, manifest{path: path}.manifestPath())
	if err != nil {
		return err
	}
	if len(m.Pieces) == 0 {
		return errNoPieces
	}
	if err := m.check(); err != nil {
		return err
	}
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	defer file.Close()
	lines, err := gzip.NewReader(file)
	if err != nil {
		return err
	}
	inPeriod := map[uuid.UUID]int64{}
	_, err = export.VerifyPieces(lines, m.Pieces, v.kept, v.policy.Open, func(of proof.Checkpoint, l export.Line) error {
		return v.see(m, of.Origin.Log, l, inPeriod)
	})
	if err != nil {
		return err
	}
	for _, p := range m.Pieces {
		signed, err := proof.ParseNote([]byte(p.Note)) // which was opened above
		if err != nil {
			return err
		}
		log := signed.Origin.Log
		v.tenants[log] = p.Tenant
		v.all = append(v.all, Verified{p.Tenant, log, p.From, p.Size, inPeriod[log]})
	}
	return nil
}

// see notes a line that is there, or a hash in the place of one.
func (v *verifier) see(m manifest, log uuid.UUID, l export.Line, inPeriod map[uuid.UUID]int64) error {
	switch {
	case l.Access == nil:
		v.hidden[log] = v.hidden[log].with(l.N)
	case l.Access.Whole():
		v.whole[log] = v.whole[log].with(l.N)
		inPeriod[log]++
	case m.covers(l.Access.Leaf.RequestID):
		return errLacks.With("Number %d is a call of this archive, and its texts were left out.", l.N)
	}
	return nil
}

// covers reports whether a call belongs to the archive.
func (m manifest) covers(request uuid.UUID) bool {
	at := InstantOf(request)
	return at.Before(m.To) && (m.From == nil || !at.Before(*m.From))
}

// lacking returns an error if a line is in no archive in full.
func (v *verifier) lacking() error {
	for log, hidden := range v.hidden {
		if n, lacks := hidden.without(v.whole[log]); lacks {
			whose := "practice " + v.tenants[log]
			if v.tenants[log] == "" {
				whose = "no practice"
			}
			return errLacks.With("Lines of %s: of number %d the hash alone is here. If an earlier archive has the line, give that one, too, with another --archive. Otherwise the line was taken out.",
				whose, n)
		}
	}
	return nil
}

// spans are numbers, in any order of spans.
type spans []struct{ first, last int64 }

// with adds a number.
func (s spans) with(n int64) spans {
	if end := len(s) - 1; end >= 0 && s[end].last+1 == n {
		s[end].last = n
		return s
	}
	return append(s, struct{ first, last int64 }{n, n})
}

// without returns the first number of s that is not in others.
func (s spans) without(others spans) (n int64, found bool) {
	byFirst := func(a, b struct{ first, last int64 }) int { return cmp.Compare(a.first, b.first) }
	slices.SortFunc(s, byFirst)
	slices.SortFunc(others, byFirst)
	for _, span := range s {
		for n = span.first; n <= span.last; n = others[0].last + 1 {
			for len(others) > 0 && others[0].last < n {
				others = others[1:]
			}
			if len(others) == 0 || others[0].first > n {
				return n, true
			}
		}
	}
	return 0, false
}

// readManifest reads the manifest of a file.
func readManifest(path, name string) (manifest, error) {
	m := manifest{path: path}
	text, err := os.ReadFile(name)
	if err != nil {
		return m, err
	}
	if err := json.Unmarshal(text, &m); err != nil {
		return m, errors.Join(fmt.Errorf("%s is no manifest of an archive", name), err)
	}
	return m, nil
}
