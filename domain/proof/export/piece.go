package export

import (
	"bufio"
	"io"

	"golang.org/x/mod/sumdb/tlog"

	"frontdesk/domain/fault"
	"frontdesk/domain/proof"
)

// Piece is the part of a tree that an archive of the access record has. The archive has
// pieces of several trees, one behind the other, each with the lines of an export.
type Piece struct {
	Tenant string    `json:"tenant"`         // whose tree it is; "" for that of none
	From   int64     `json:"from"`           // the number of its first line
	Edge   []byte    `json:"edge"`           // of the tree in front of that line: [proof.Edge.Bytes]
	Size   int64     `json:"size"`           // of the tree behind its last line
	Root   tlog.Hash `json:"root"`           // of that tree
	Note   string    `json:"note,omitempty"` // the signed checkpoint of that tree; "" if it was not signed
}

// These say what is wrong with an archive.
var (
	errPiece    = fault.New(fault.Refused, "no-piece", "The manifest does not say which part of a tree the archive has.")
	errUnsigned = fault.New(fault.Refused, "archive-not-signed", "A part of the archive was never signed.")
	errBehind   = fault.New(fault.Refused, "archive-goes-on", "The archive has lines that its manifest does not name.")
)

// VerifyPieces reads the lines of an archive to their end. It returns an error unless each
// piece is, to the last line, what its checkpoint covers, and has the roots that kept ones of
// its log say it has at their sizes. Open returns the checkpoint of a note that is to be
// trusted. The tally of each piece counts lines from its first.
func VerifyPieces(r io.Reader, pieces []Piece, kept []proof.Checkpoint, open func(note []byte) (proof.Checkpoint, error)) (tallies []Tally, err error) {
	lines := bufio.NewScanner(r)
	lines.Buffer(make([]byte, 1<<20), maxLine)
	lines.Split(wholeLines)
	for _, p := range pieces {
		t, err := p.verify(lines, kept, open)
		if err != nil {
			return tallies, err
		}
		tallies = append(tallies, t)
	}
	if lines.Scan() {
		return tallies, errBehind
	}
	return tallies, lines.Err()
}

func (p Piece) verify(lines *bufio.Scanner, kept []proof.Checkpoint, open func([]byte) (proof.Checkpoint, error)) (Tally, error) {
	edge, err := proof.ParseEdge(p.From, p.Edge)
	if err != nil {
		return Tally{}, errPiece
	}
	if p.Note == "" {
		return Tally{}, errUnsigned.With("The lines of %s were archived before they were signed: nobody vouches for them.", named(p.Tenant))
	}
	signed, err := open([]byte(p.Note))
	if err != nil {
		return Tally{}, err
	}
	if p.Size != signed.Size {
		return Tally{}, errPiece
	}
	marks := []Mark{{Size: signed.Size, Root: signed.Root}}
	for _, k := range kept {
		if k.Origin.Log == signed.Origin.Log && k.Size >= p.From && k.Size <= p.Size {
			marks = append(marks, Mark{Size: k.Size, Root: k.Root})
		}
	}
	t, err := p.check(lines, edge, bySize(marks))
	if err != nil {
		return t, err
	}
	for _, mark := range marks {
		if !mark.Fits {
			from, to := between(marks)
			return t, errAltered.With("The archive is not what was signed: among the lines of %s something between number %d and number %d was changed, added, taken away or moved.",
				named(p.Tenant), max(from, p.From), to)
		}
	}
	t.Lines -= p.From
	return t, nil
}

// check goes through the lines of a piece.
func (p Piece) check(lines *bufio.Scanner, edge proof.Edge, due []*Mark) (t Tally, err error) {
	var parser Parser
	t.Lines = p.From
	for due = compare(due, edge); edge.Size < p.Size && lines.Scan(); due = compare(due, edge) {
		line, ok := parser.Parse(lines.Bytes())
		if !ok {
			return t, errLine.With("Number %d of %s is no line of an archive that can be proved, or was changed so that it is none.", edge.Size, named(p.Tenant))
		}
		if line.Event != nil || line.Access != nil && p.Tenant != "" && line.Access.Leaf.Tenant != p.Tenant {
			return t, errMixed.With("Number %d of %s is of another log.", edge.Size, named(p.Tenant))
		}
		if err := t.add(line); err != nil {
			return t, err
		}
		edge.Append(line.Hash)
	}
	if edge.Size < p.Size {
		return t, errMissing.With("The lines of %s end with number %d, and %d is the last that the manifest names.", named(p.Tenant), edge.Size-1, p.Size-1)
	}
	return t, lines.Err()
}
