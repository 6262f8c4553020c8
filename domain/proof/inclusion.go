package proof

import (
	"bytes"
	"encoding/base64"
	"fmt"

	"golang.org/x/mod/sumdb/tlog"

	"frontdesk/domain/fault"
)

// Inclusion proves that a leaf is in a tree with a signed checkpoint: a
// c2sp.org/tlog-proof. Its values are unproven before [Inclusion.Check].
type Inclusion struct {
	Extra []byte // the source of the leaf; only the leaf's hash proves it
	Index int64  // the leaf's number in its tree, from 0
	Proof tlog.RecordProof
	Note  []byte // the signed checkpoint
}

const inclusionForm = "c2sp.org/tlog-proof@v1\n"

// Format returns the proof in the form of a file.
func (p Inclusion) Format() []byte {
	b := []byte(inclusionForm)
	if len(p.Extra) > 0 {
		b = append(base64.StdEncoding.AppendEncode(append(b, "extra "...), p.Extra), '\n')
	}
	b = fmt.Appendf(b, "index %d\n", p.Index)
	b = append(appendHashes(b, p.Proof), '\n')
	return append(b, p.Note...)
}

var errInclusion = fault.New(fault.Invalid, "invalid-proof",
	"This is no proof of an event: give a file that audit prove --idx has written, unchanged.")

// ParseInclusion parses a proof. It accepts only the form of [Inclusion.Format].
func ParseInclusion(b []byte) (p Inclusion, err error) {
	rest, ok := bytes.CutPrefix(b, []byte(inclusionForm))
	if !ok {
		return p, errInclusion
	}
	if p.Extra, rest, ok = cutExtra(rest); !ok {
		return p, errInclusion
	}
	if p.Index, rest, ok = cutNumber(rest, "index"); !ok {
		return p, errInclusion
	}
	if p.Proof, p.Note, ok = cutHashes(rest); !ok {
		return p, errInclusion
	}
	return p, nil
}

// cutExtra parses the optional line of the leaf's source.
func cutExtra(b []byte) (extra, rest []byte, ok bool) {
	line, there := bytes.CutPrefix(b, []byte("extra "))
	if !there {
		return nil, b, true
	}
	text, rest, _ := bytes.Cut(line, []byte{'\n'})
	extra, err := base64.StdEncoding.Strict().AppendDecode(nil, text)
	return extra, rest, err == nil && len(extra) > 0 && base64.StdEncoding.EncodedLen(len(extra)) == len(text)
}

var errNotIncluded = fault.New(fault.Refused, "not-included",
	"The checkpoint's tree does not hold this at that number: what is shown is not what was signed.")

// Check reports whether a leaf is in the tree of a checkpoint, which [Policy.Open] has
// opened.
func (p Inclusion) Check(leaf tlog.Hash, of Checkpoint) error {
	if err := tlog.CheckRecord(p.Proof, of.Size, of.Root, p.Index, leaf); err != nil {
		return errNotIncluded
	}
	return nil
}
