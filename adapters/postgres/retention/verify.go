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

// Verified is a piece of an archive that is what was signed.
type Verified struct {
	Tenant string    `json:"tenant"` // whose tree it is of; "" for that of none
	Log    uuid.UUID `json:"log"`    // as its checkpoint names it
	From   int64     `json:"from"`   // the numbers of its leaves go from here
	Size   int64     `json:"size"`   // up to here, exclusive
	Lines  int64     `json:"lines"`  // so many of them are shown
}

// Compares reports whether a checkpoint was compared with the piece: it is one of its log,
// and of a size that the piece has come to.
func (v Verified) Compares(kept proof.Checkpoint) bool {
	return kept.Origin.Log == v.Log && kept.Size >= v.From && kept.Size <= v.Size
}

// errNoPieces says that an archive cannot be verified by itself.
var errNoPieces = fault.New(fault.Invalid, "archive-without-proof",
	"This archive has no proof: it was written before there were any, or it is none of the access record. Compare its SHA-256 with audit.archived.v1 in the log.")

// Verify reads an archive and its manifest, which stands beside it, and returns an error
// unless each piece is what a checkpoint covers that the policy trusts, and what kept
// checkpoints of its log cover. It needs no database.
func Verify(path string, policy proof.Policy, kept []proof.Checkpoint) ([]Verified, error) {
	m, err := readManifest(path, manifest{path: path}.beside())
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
