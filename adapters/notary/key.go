package notary

import (
	"crypto/ed25519"
	"crypto/rand"
	"encoding/base64"
	"errors"
	"fmt"
	"os"
	"strings"

	"golang.org/x/mod/sumdb/note"

	"frontdesk/domain/proof"
)

// Key signs checkpoints, and names the logs.
type Key struct {
	note.Signer
	Verifier string // the verifier key
	Salt     proof.Salt
}

// The errors of a key's text.
var (
	errKeyForm = errors.New("this is no key of a log, as frontdesk key make-log writes them")
	errNoSalt  = errors.New("this key of a log is of an earlier form and has no salt: make another with frontdesk key make-log")
)

// saltPrefix begins the second line of a key's text.
const saltPrefix = "salt "

// MakeKey returns a new Ed25519 key in the form of C2SP's signed notes, and a line with the
// salt of its logs. Its name is that of the service, such as the host of the API.
func MakeKey(name string, salt proof.Salt) (text string, err error) {
	private, verifier, err := note.GenerateKey(rand.Reader, name)
	if err != nil {
		return "", fmt.Errorf("make a key: %w", err)
	}
	if _, err := note.NewVerifier(verifier); err != nil {
		return "", fmt.Errorf("%q cannot be a key's name: give the host of the API, without spaces and +", name)
	}
	return private + "\n" + saltPrefix + salt.String(), nil
}

// ParseKey parses the result of [MakeKey].
func ParseKey(text string) (Key, error) {
	private, salted, found := strings.Cut(strings.TrimSpace(text), "\n")
	signer, err := note.NewSigner(private)
	switch {
	case err != nil:
		return Key{}, errKeyForm
	case !found:
		return Key{}, errNoSalt
	}
	hex, named := strings.CutPrefix(salted, saltPrefix)
	salt, err := proof.ParseSalt(hex)
	if err != nil || !named {
		return Key{}, errKeyForm
	}
	parts := strings.SplitN(private, "+", 5) // PRIVATE+KEY+name+hash+base64, which may contain a +
	seed, err := base64.StdEncoding.DecodeString(parts[len(parts)-1])
	if err != nil || len(seed) != 1+ed25519.SeedSize {
		return Key{}, errKeyForm
	}
	public, ok := ed25519.NewKeyFromSeed(seed[1:]).Public().(ed25519.PublicKey)
	if !ok {
		return Key{}, errKeyForm
	}
	verifier, err := note.NewEd25519VerifierKey(signer.Name(), public)
	if err != nil {
		return Key{}, errKeyForm
	}
	return Key{signer, verifier, salt}, nil
}

// ReadKey reads a file with a key for [ParseKey].
func ReadKey(file string) (Key, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return Key{}, fmt.Errorf("read the log's key: %w", err)
	}
	key, err := ParseKey(string(text))
	if err != nil {
		return Key{}, fmt.Errorf("read the log's key in %s: %w", file, err)
	}
	return key, nil
}
