package proof

import (
	"bytes"
	"encoding/base64"
	"errors"
	"strings"

	"golang.org/x/mod/sumdb/note"

	"frontdesk/domain/fault"
)

// Policy defines the checkpoints that a verifier trusts.
type Policy struct {
	Key       note.Verifier   // of the service, for all of its logs
	Witnesses []note.Verifier // cosigners: see [NewWitnessVerifier]
	Need      int             // the minimum of them
}

// These refuse a checkpoint with insufficient signatures.
var (
	errUnsigned = fault.New(fault.Refused, "unsigned-checkpoint",
		"The checkpoint is not signed by the key that you gave, or was changed after it was signed.")
	errForeign = fault.New(fault.Refused, "foreign-checkpoint", "The key that you gave signs for another service.")
	errAlone   = fault.New(fault.Refused, "too-few-witnesses", "Too few witnesses have cosigned the checkpoint.")
)

// Open returns the checkpoint of a signed note, if the policy trusts it.
func (p Policy) Open(signed []byte) (Checkpoint, error) {
	c, _, err := p.OpenWitnessed(signed)
	return c, err
}

// OpenWitnessed also returns the names of the cosigners.
func (p Policy) OpenWitnessed(signed []byte) (c Checkpoint, by []string, err error) {
	opened, err := note.Open(signed, note.VerifierList(append([]note.Verifier{p.Key}, p.Witnesses...)...))
	if broken, ok := errors.AsType[*note.InvalidSignatureError](err); ok {
		return Checkpoint{}, nil, errUnsigned.With("The signature of %s does not fit the checkpoint: one of them has been changed.", broken.Name)
	}
	if err != nil || !isSigned(opened, p.Key) {
		return Checkpoint{}, nil, errUnsigned
	}
	if c, err = ParseCheckpoint(opened.Text); err != nil {
		return Checkpoint{}, nil, err
	}
	if c.Origin.Name != p.Key.Name() {
		return Checkpoint{}, nil, errForeign.With("The checkpoint is one of %s; the key that you gave is that of %s.", c.Origin.Name, p.Key.Name())
	}
	for _, witness := range p.Witnesses {
		if isSigned(opened, witness) {
			by = append(by, witness.Name())
		}
	}
	if len(by) < p.Need {
		return Checkpoint{}, nil, errAlone.With("The checkpoint is cosigned by %d of the witnesses whose keys you gave, and %d are needed.", len(by), p.Need)
	}
	return c, by, nil
}

// ParseNote parses the checkpoint of a note. It verifies no signature, so it is only
// for readers who hold the log, and not for those who have to trust the note.
func ParseNote(signed []byte) (Checkpoint, error) {
	text, _, _ := bytes.Cut(signed, []byte("\n\n"))
	return ParseCheckpoint(string(text) + "\n")
}

// isSigned reports whether an opened note has a signature of a key. Each signature that
// an opened note lists has been verified, and it lists none twice.
func isSigned(opened *note.Note, key note.Verifier) bool {
	for _, s := range opened.Sigs {
		if s.Name == key.Name() && s.Hash == key.KeyHash() {
			return true
		}
	}
	return false
}

var errKeys = fault.New(fault.Invalid, "invalid-keys", "These keys cannot be used together.")

// NewPolicy makes a policy of verifier keys in the form of C2SP: name, identifier and
// key. It refuses one that could never be met, or that would count one signature twice.
func NewPolicy(key string, witnesses []string, need int) (p Policy, err error) {
	if p.Key, err = note.NewVerifier(key); err != nil {
		return Policy{}, errKeys.With("%q is no verifier key of a log.", key)
	}
	if need < 0 || need > len(witnesses) {
		return Policy{}, errKeys.With("You want %d witnesses and give the keys of %d.", need, len(witnesses))
	}
	seen := map[string]bool{keyBytes(key): true}
	for _, text := range witnesses {
		witness, err := NewWitnessVerifier(text)
		if err != nil {
			return Policy{}, err
		}
		if seen[keyBytes(text)] {
			return Policy{}, errKeys.With("The key of %s is given twice, or under two names: each witness has one of its own.", witness.Name())
		}
		seen[keyBytes(text)] = true
		p.Witnesses = append(p.Witnesses, witness)
	}
	p.Need = need
	return p, nil
}

// keyBytes returns the key in a verifier key, without its name and its algorithm,
// because one key may have several names.
func keyBytes(vkey string) string {
	parts := strings.SplitN(vkey, "+", 3)
	key, _ := base64.StdEncoding.DecodeString(parts[len(parts)-1])
	return string(key[min(1, len(key)):])
}
