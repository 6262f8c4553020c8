package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/mod/sumdb/note"

	"frontdesk/docs"
)

const page = "../../" + keyPage

// signed is a folder with a release that is signed with a new key.
func signed(t *testing.T) (dir, verifier string) {
	t.Helper()
	dir = t.TempDir()
	put(t, dir, "frontdesk-v1-linux-amd64.tar.gz", "the archive")
	put(t, dir, "frontdesk-v1-linux-amd64.cdx.json", "{}")
	key := filepath.Join(t.TempDir(), "release.key")
	verifier, err := makeKey(key)
	if err != nil {
		t.Fatal(err)
	}
	signer, err := signerOf(key, "The key: "+verifier+"\n")
	if err != nil {
		t.Fatal(err)
	}
	if err := sum(dir, "frontdesk-v1-linux-amd64.tar.gz", "frontdesk-v1-linux-amd64.cdx.json"); err != nil {
		t.Fatal(err)
	}
	if err := sign(dir, signer); err != nil {
		t.Fatal(err)
	}
	return dir, verifier
}

// verify types the lines of the page in the folder of a release.
func verify(t *testing.T, dir, verifier string) (said string, ok bool) {
	t.Helper()
	typed := docs.OperatorsBlocks(t, "operate/release.md", "Verify a release", "sh")
	shell := exec.CommandContext(t.Context(), "bash", "-euo", "pipefail", "-c", typed[0])
	shell.Dir, shell.Env = dir, append(os.Environ(), "KEY="+verifier)
	out, err := shell.CombinedOutput()
	return string(out), err == nil
}

func TestReleaseIsVerifiedAsPageSays_D145(t *testing.T) {
	t.Parallel()
	dir, verifier := signed(t)
	said, ok := verify(t, dir, verifier)
	if want := "Signature Verified Successfully\nfrontdesk-v1-linux-amd64.tar.gz: OK\nfrontdesk-v1-linux-amd64.cdx.json: OK\n"; !ok || said != want {
		t.Errorf("it is %q, want %q", said, want)
	}
	// The note is one of c2sp.org/signed-note, so its other readers agree.
	known, err := note.NewVerifier(verifier)
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(dir, notesName))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := note.Open(text, note.VerifierList(known)); err != nil {
		t.Error(err)
	}
	_, other := signed(t)
	if said, ok := verify(t, dir, other); ok {
		t.Errorf("another key verifies it: %s", said)
	}
	edit := func(edited func(text string) string) func(dir string) {
		return func(dir string) {
			text, err := os.ReadFile(filepath.Join(dir, notesName))
			if err != nil {
				t.Fatal(err)
			}
			put(t, dir, notesName, edited(string(text)))
		}
	}
	for name, change := range map[string]func(dir string){
		"another archive": func(dir string) { put(t, dir, "frontdesk-v1-linux-amd64.tar.gz", "another") },
		"another sum":     edit(func(text string) string { return strings.Replace(text, "v1", "v2", 1) }),
		"one line more":   edit(func(text string) string { return "# more\n" + text }),
		"no signature":    edit(func(text string) string { lines, _, _ := strings.Cut(text, "— "); return lines }),
	} {
		dir, verifier := signed(t)
		change(dir)
		if said, ok := verify(t, dir, verifier); ok {
			t.Errorf("%s: it is verified: %s", name, said)
		}
	}
}

// Only the key whose verifier key is on the page signs.
func TestPageHasVerifierKey_D145(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	if known, err := note.NewVerifier(verifierKey.FindString(string(text))); err != nil || known.Name() != keyName {
		t.Errorf("the page has no verifier key: %v", err)
	}
	key := filepath.Join(t.TempDir(), "release.key")
	if _, err := makeKey(key); err != nil {
		t.Fatal(err)
	}
	if _, err := signerOf(key, string(text)); err == nil || !strings.Contains(err.Error(), "another key") {
		t.Errorf("a key that is not on the page signs: %v", err)
	}
	if _, err := makeKey(key); err == nil {
		t.Error("a key is replaced")
	}
	if _, err := signerFor("", false); err == nil {
		t.Error("a release needs no key")
	}
}
