package retention

import (
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"os"

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

// Verify reads an archive and the manifest next to it. It returns an error unless each
// piece agrees with a checkpoint that the policy trusts, and with kept checkpoints of
// its log. It needs no database.
func Verify(path string, policy proof.Policy, kept []proof.Checkpoint) ([]Verified, error) {
	m, err := readManifest(path, manifest{path: path}.manifestPath())
	if err != nil {
		return nil, err
	}
	if len(m.Pieces) == 0 {
		return nil, errNoPieces
	}
	if err := m.check(); err != nil {
		return nil, err
	}
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	lines, err := gzip.NewReader(file)
	if err != nil {
		return nil, err
	}
	tallies, err := export.VerifyPieces(lines, m.Pieces, kept, policy.Open)
	if err != nil {
		return nil, err
	}
	var all []Verified
	for n, t := range tallies {
		p := m.Pieces[n]
		signed, err := proof.ParseNote([]byte(p.Note)) // which was opened above
		if err != nil {
			return nil, err
		}
		all = append(all, Verified{p.Tenant, signed.Origin.Log, p.From, p.Size, t.Shown})
	}
	return all, nil
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
