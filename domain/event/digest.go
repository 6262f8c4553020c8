package event

import (
	"encoding/hex"
	"fmt"
)

// Digest is a SHA-256, stored as 64 hexadecimal digits.
type Digest [32]byte

// IsZero reports that nothing was hashed; JSON leaves such digests out where
// a field says omitzero.
func (d Digest) IsZero() bool { return d == Digest{} }

// String is the digest in hexadecimal.
func (d Digest) String() string { return hex.EncodeToString(d[:]) }

// MarshalText implements [encoding.TextMarshaler].
func (d Digest) MarshalText() ([]byte, error) { return hex.AppendEncode(nil, d[:]), nil }

// UnmarshalText implements [encoding.TextUnmarshaler].
func (d *Digest) UnmarshalText(text []byte) error {
	if hex.DecodedLen(len(text)) != len(d) {
		return fmt.Errorf("a SHA-256 has %d hexadecimal digits, not %d", 2*len(d), len(text))
	}
	_, err := hex.Decode(d[:], text)
	return err
}
