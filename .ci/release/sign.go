package main

import (
	"crypto/rand"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"golang.org/x/mod/sumdb/note"
)

const (
	keyName   = "frontdesk-release"
	keyPage   = "docs/operate/release.md" // has the verifier key
	sumsName  = "SHA256SUMS"
	notesName = "SHA256SUMS.note"
)

var verifierKey = regexp.MustCompile(regexp.QuoteMeta(keyName) + `\+[0-9a-f]{8}\+[A-Za-z0-9+/=]+`)

// makeKey writes a new key that signs releases to a file, and returns its verifier key.
func makeKey(name string) (verifier string, err error) {
	signer, verifier, err := note.GenerateKey(rand.Reader, keyName)
	if err != nil {
		return "", fmt.Errorf("make a key: %w", err)
	}
	to, err := os.OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return "", fmt.Errorf("make a file for the key: %w", err)
	}
	if _, err = to.WriteString(signer + "\n"); err == nil {
		err = to.Close()
	}
	return verifier, err
}

// signerOf reads the key that signs releases. The page for operators must have its verifier
// key, so that operators can verify them.
func signerOf(name, page string) (note.Signer, error) {
	text, err := os.ReadFile(name)
	if err != nil {
		return nil, fmt.Errorf("read the key of releases: %w", err)
	}
	signer, err := note.NewSigner(strings.TrimSpace(string(text)))
	if err != nil {
		return nil, fmt.Errorf("%s is not a key of releases: make one with -make-key", name)
	}
	known, err := note.NewVerifier(verifierKey.FindString(page))
	if err != nil {
		return nil, fmt.Errorf("%s has no verifier key of releases: %w", keyPage, err)
	}
	if known.Name() != signer.Name() || known.KeyHash() != signer.KeyHash() {
		return nil, fmt.Errorf("%s has the verifier key of another key than %s", keyPage, name)
	}
	return signer, nil
}

// sign writes the checksums in a folder again, as a signed note.
func sign(dir string, signer note.Signer) error {
	sums, err := os.ReadFile(filepath.Join(dir, sumsName))
	if err != nil {
		return fmt.Errorf("read the checksums: %w", err)
	}
	signed, err := note.Sign(&note.Note{Text: string(sums)}, signer)
	if err != nil {
		return fmt.Errorf("sign the checksums: %w", err)
	}
	return os.WriteFile(filepath.Join(dir, notesName), signed, 0o644)
}
