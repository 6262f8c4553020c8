// Package passkeytest is an authenticator for tests, which can also misbehave.
package passkeytest

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"testing"

	"github.com/go-webauthn/webauthn/protocol/webauthncbor"
)

// Key is an authenticator with one passkey.
type Key struct {
	RP, Origin string
	ID, User   []byte // the credential, and the user handle that it was made with
	Count      uint32 // before the next signature; it grows with each
	NoCount    bool   // always sends zero
	NoUV       bool   // without user verification by finger or PIN

	private *ecdsa.PrivateKey
}

// New returns an authenticator for an origin.
func New(t *testing.T, rp, origin string) *Key {
	t.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	return &Key{RP: rp, Origin: origin, ID: []byte(rand.Text()), private: private}
}

// Copy is a second authenticator with the same passkey.
func (k *Key) Copy() *Key {
	other := *k
	return &other
}

// options are the members of both ceremonies' options that are used here.
type options struct {
	Challenge string
	User      struct{ ID string }
}

// The flags of authenticator data.
const (
	present      = 1
	verified     = 4
	newlyMade    = 64
	aaguidLength = 16
)

// Make answers the options of a registration.
func (k *Key) Make(t *testing.T, asked []byte) string {
	t.Helper()
	o := read(t, asked)
	user, err := base64.RawURLEncoding.DecodeString(o.User.ID)
	if err != nil {
		t.Fatal(err)
	}
	k.User = user
	public, err := k.private.PublicKey.Bytes()
	if err != nil {
		t.Fatal(err)
	}
	cose := encode(t, map[int]any{1: 2, 3: -7, -1: 1, -2: public[1:33], -3: public[33:]})
	var data bytes.Buffer
	data.Write(k.signedData(newlyMade))
	data.Write(make([]byte, aaguidLength))
	_ = binary.Write(&data, binary.BigEndian, uint16(len(k.ID)))
	data.Write(k.ID)
	data.Write(cose)
	object := encode(t, map[string]any{"fmt": "none", "attStmt": map[string]any{}, "authData": data.Bytes()})
	return k.answer(t, map[string]any{
		"clientDataJSON": k.client("webauthn.create", o.Challenge), "attestationObject": object, "transports": []string{"internal"},
	})
}

// Sign answers the options of a signature.
func (k *Key) Sign(t *testing.T, asked []byte) string {
	t.Helper()
	client, data := k.client("webauthn.get", read(t, asked).Challenge), k.signedData(0)
	hashed := sha256.Sum256(client)
	digest := sha256.Sum256(append(bytes.Clone(data), hashed[:]...))
	signature, err := ecdsa.SignASN1(rand.Reader, k.private, digest[:])
	if err != nil {
		t.Fatal(err)
	}
	return k.answer(t, map[string]any{"clientDataJSON": client, "authenticatorData": data, "signature": signature, "userHandle": k.User})
}

func (k *Key) signedData(flags byte) []byte {
	if !k.NoCount {
		k.Count++
	}
	if flags |= present; !k.NoUV {
		flags |= verified
	}
	rp := sha256.Sum256([]byte(k.RP))
	return binary.BigEndian.AppendUint32(append(rp[:], flags), k.Count)
}

func (k *Key) client(kind, challenge string) []byte {
	data, _ := json.Marshal(map[string]any{"type": kind, "challenge": challenge, "origin": k.Origin, "crossOrigin": false})
	return data
}

func (k *Key) answer(t *testing.T, response map[string]any) string {
	t.Helper()
	for name, value := range response {
		if raw, ok := value.([]byte); ok {
			response[name] = base64.RawURLEncoding.EncodeToString(raw)
		}
	}
	id := base64.RawURLEncoding.EncodeToString(k.ID)
	data, err := json.Marshal(map[string]any{"id": id, "rawId": id, "type": "public-key", "response": response, "clientExtensionResults": map[string]any{}})
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func read(t *testing.T, asked []byte) (o options) {
	t.Helper()
	if err := json.Unmarshal(asked, &o); err != nil {
		t.Fatalf("%v in %s", err, asked)
	}
	return o
}

func encode(t *testing.T, v any) []byte {
	t.Helper()
	data, err := webauthncbor.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return data
}
