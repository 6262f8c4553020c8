package proof

import (
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"golang.org/x/mod/sumdb/note"

	"frontdesk/domain/fault"
)

// cosignature is the key type of witnesses: Ed25519 over a checkpoint and a time,
// c2sp.org/tlog-cosignature. A log's own key has another type, so that neither is
// accepted in place of the other.
const cosignature = 0x04

var (
	errWitnessKey = fault.New(fault.Invalid, "invalid-witness-key",
		"This is no verifier key of a witness: give the line that keys make-witness-key has printed, unchanged.")
	errCosigner = fault.New(fault.Invalid, "invalid-witness-key",
		"This is no private key of a witness: give the file that keys make-witness-key has written, unchanged.")
	errCosignature = fault.New(fault.Invalid, "invalid-cosignature", "This is no cosignature of a witness: give a note as the witness has signed it.")
)

// witnessKey is the public half of a witness's key.
type witnessKey struct {
	name   string
	public ed25519.PublicKey
}

// NewWitnessVerifier returns a verifier for the cosignatures of a witness, from its
// verifier key.
func NewWitnessVerifier(vkey string) (note.Verifier, error) {
	name, id, key, err := splitKey(vkey)
	if err != nil {
		return nil, err
	}
	k := witnessKey{name, key}
	if k.id() != id {
		return nil, errWitnessKey
	}
	return k, nil
}

// Name returns the name of the witness.
func (k witnessKey) Name() string { return k.name }

// KeyHash returns the key's number in signatures.
func (k witnessKey) KeyHash() uint32 {
	sum := sha256.Sum256(append([]byte(k.name+"\n"), append([]byte{cosignature}, k.public...)...))
	return binary.BigEndian.Uint32(sum[:])
}

func (k witnessKey) id() string { return fmt.Sprintf("%08x", k.KeyHash()) }

// String returns the verifier key, which is public.
func (k witnessKey) String() string {
	return k.name + "+" + k.id() + "+" + base64.StdEncoding.EncodeToString(append([]byte{cosignature}, k.public...))
}

// Verify reports whether the witness has cosigned the text of a checkpoint.
func (k witnessKey) Verify(text, signature []byte) bool {
	if len(signature) != 8+ed25519.SignatureSize {
		return false
	}
	seconds := binary.BigEndian.Uint64(signature)
	return seconds <= math.MaxInt64 && ed25519.Verify(k.public, cosigned(text, seconds), signature[8:])
}

// cosigned returns the bytes that a witness signs at a time, in seconds since 1970.
func cosigned(text []byte, seconds uint64) []byte {
	return append([]byte("cosignature/v1\ntime "+strconv.FormatUint(seconds, 10)+"\n"), text...)
}

// Cosigner is a complete key of a witness. It also verifies its own cosignatures.
type Cosigner struct {
	witnessKey
	private ed25519.PrivateKey
	now     func() time.Time
}

// NewCosigner returns a cosigner with the private half of a witness's key. It dates
// cosignatures by now.
func NewCosigner(skey string, now func() time.Time) (Cosigner, error) {
	private, ok := strings.CutPrefix(skey, privateKey)
	name, id, seed, err := splitKey(private)
	if !ok || err != nil {
		return Cosigner{}, errCosigner
	}
	whole := ed25519.NewKeyFromSeed(seed)
	c := Cosigner{witnessKey{name, ed25519.PublicKey(whole[ed25519.SeedSize:])}, whole, now}
	if c.id() != id {
		return Cosigner{}, errCosigner
	}
	return c, nil
}

// GoString keeps the private half out of logs, as String does.
func (c Cosigner) GoString() string { return c.String() }

// Sign cosigns the text of a checkpoint.
func (c Cosigner) Sign(text []byte) ([]byte, error) {
	seconds := uint64(c.now().Unix())
	return append(binary.BigEndian.AppendUint64(nil, seconds), ed25519.Sign(c.private, cosigned(text, seconds))...), nil
}

// CosignedAt returns the time of a cosignature in an opened note, according to the
// witness.
func CosignedAt(s note.Signature) (time.Time, error) {
	raw, err := base64.StdEncoding.DecodeString(s.Base64)
	if err != nil || len(raw) != 4+8+ed25519.SignatureSize {
		return time.Time{}, errCosignature
	}
	return time.Unix(int64(binary.BigEndian.Uint64(raw[4:])), 0).UTC(), nil
}

const privateKey = "PRIVATE+KEY+"

// GenerateWitnessKey returns a new key for a witness of that name: the private half, and
// the verifier key to hand out.
func GenerateWitnessKey(random io.Reader, name string) (skey, vkey string, err error) {
	if !validName(name) {
		return "", "", errWitnessKey.With("A witness's name has no spaces and no plus: give one such as witness.example.")
	}
	public, private, err := ed25519.GenerateKey(random)
	if err != nil {
		return "", "", fmt.Errorf("make a witness's key: %w", err)
	}
	k := witnessKey{name, public}
	seed := append([]byte{cosignature}, private.Seed()...)
	return privateKey + name + "+" + k.id() + "+" + base64.StdEncoding.EncodeToString(seed), k.String(), nil
}

// splitKey splits the text of a key into its name, its identifier and its 32 bytes.
func splitKey(text string) (name, id string, key []byte, err error) {
	parts := strings.SplitN(text, "+", 3)
	if len(parts) != 3 || !validName(parts[0]) {
		return "", "", nil, errWitnessKey
	}
	key, err = base64.StdEncoding.Strict().DecodeString(parts[2])
	if err != nil || len(key) != 1+ed25519.PublicKeySize || key[0] != cosignature {
		return "", "", nil, errWitnessKey
	}
	return parts[0], parts[1], key[1:], nil
}

// validName reports whether c2sp.org/signed-note allows the name of a key.
func validName(name string) bool {
	return name != "" && utf8.ValidString(name) && !strings.ContainsFunc(name, func(r rune) bool { return unicode.IsSpace(r) || r < ' ' || r == '+' })
}
