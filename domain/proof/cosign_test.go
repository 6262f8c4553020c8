package proof_test

import (
	"bytes"
	"crypto/rand"
	"encoding/binary"
	"errors"
	"strings"
	"testing"
	"time"

	"golang.org/x/mod/sumdb/note"

	"frontdesk/domain/proof"
)

// The example of c2sp.org/tlog-cosignature: a checkpoint that its log has signed, and a
// witness. The keys are not published.
const c2spNote = `example.com/behind-the-sofa
20852163
CsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I=

— example.com/behind-the-sofa Az3grlgtzPICa5OS8npVmf1Myq/5IZniMp+ZJurmRDeOoRDe4URYN7u5/Zhcyv2q1gGzGku9nTo+zyWE+xeMcTOAYQ8=
— witness.example.com/w1 jWbPPwAAAABkGFDLEZMHwSRaJNiIDoe9DYn/zXcrtPHeolMI5OWXEhZCB9dlrDJsX3b2oyin1nPZqhf5nNo0xUe+mbIUBkBIfZ+qnA==
`

const c2spTime = 1679315147

// The same checkpoint cosigned at the same time by the key whose seed is 00 01 02 … 1f.
// Two independent programs, one in Go and one in Python, write and verify the same
// line.
const (
	goldenKey    = "PRIVATE+KEY+witness.example.com/w1+a0059f11+BAABAgMEBQYHCAkKCwwNDg8QERITFBUWFxgZGhscHR4f"
	goldenPublic = "witness.example.com/w1+a0059f11+BAOhB7/zzhC+HXDdGOdLwJln5NYwm6UNXx3chmQSVTG4"
	goldenLine   = "— witness.example.com/w1 oAWfEQAAAABkGFDLBuRDazBLVac2NE+Y+IjbjQOcXLfF9CSDZVUIoS83rE1nFZsVE8YiWV6Ngr7lV8H6bdoBQGP/l73euDMQ9k+bBQ==\n"
)

func at1679315147() time.Time { return time.Unix(c2spTime, 999) }

func c2spText() string { return c2spNote[:strings.Index(c2spNote, "\n\n")+1] }

func TestACosignatureIsThatOfC2SP(t *testing.T) {
	t.Parallel()
	signer, err := proof.NewCosigner(goldenKey, at1679315147)
	if err != nil {
		t.Fatal(err)
	}
	cosigned, err := note.Sign(&note.Note{Text: c2spText()}, signer)
	if err != nil || string(cosigned) != c2spText()+"\n"+goldenLine {
		t.Errorf("cosigned as\n%s%v", cosigned, err)
	}
	verifier, err := proof.NewWitnessVerifier(goldenPublic)
	if err != nil {
		t.Fatal(err)
	}
	opened, err := note.Open([]byte(c2spNote+goldenLine), note.VerifierList(verifier))
	if err != nil || len(opened.Sigs) != 1 || len(opened.UnverifiedSigs) != 2 {
		t.Fatalf("opened as %+v, %v", opened, err)
	}
	for _, s := range []note.Signature{opened.Sigs[0], opened.UnverifiedSigs[1]} {
		if at, err := proof.CosignedAt(s); err != nil || at.Unix() != c2spTime {
			t.Errorf("%s cosigned at %v, %v", s.Name, at, err)
		}
	}
	if at, err := proof.CosignedAt(opened.UnverifiedSigs[0]); err == nil {
		t.Errorf("the signature of a log says that it was made at %v", at)
	}
}

func TestACosignatureIsOfOneTextAndOneTime(t *testing.T) {
	t.Parallel()
	signer, _ := proof.NewCosigner(goldenKey, at1679315147)
	verifier, _ := proof.NewWitnessVerifier(goldenPublic)
	text := []byte(c2spText())
	signature, err := signer.Sign(text)
	if err != nil || !verifier.Verify(text, signature) {
		t.Fatalf("the cosignature does not verify: %v", err)
	}
	later, far := bytes.Clone(signature), bytes.Clone(signature)
	later[7]++
	binary.BigEndian.PutUint64(far, 1<<63)
	for name, bad := range map[string][]byte{
		"another time": later, "a time that none is": far, "no time": signature[8:], "more": append(bytes.Clone(signature), 0), "nothing": nil,
	} {
		if verifier.Verify(text, bad) {
			t.Errorf("%s verifies", name)
		}
	}
	if verifier.Verify(append(text, "extension\n"...), signature) {
		t.Error("another text verifies")
	}
}

func TestAWitnessHasAKeyOfItsOwnKind(t *testing.T) {
	t.Parallel()
	skey, vkey, err := proof.GenerateWitnessKey(rand.Reader, "witness.example")
	if err != nil {
		t.Fatal(err)
	}
	signer, signerErr := proof.NewCosigner(skey, at1679315147)
	verifier, verifierErr := proof.NewWitnessVerifier(vkey)
	if err := errors.Join(signerErr, verifierErr); err != nil {
		t.Fatal(err)
	}
	if signer.Name() != "witness.example" || signer.Name() != verifier.Name() || signer.KeyHash() != verifier.KeyHash() || signer.String() != vkey {
		t.Errorf("the halves are %s %x and %s %x", signer.Name(), signer.KeyHash(), verifier.Name(), verifier.KeyHash())
	}
	logKey, logPublic, err := note.GenerateKey(rand.Reader, "witness.example")
	if err != nil {
		t.Fatal(err)
	}
	for name, key := range map[string]string{"a log's key": logPublic, "nothing": "", "another name": "x" + vkey, "a short one": vkey[:len(vkey)-4]} {
		if _, err := proof.NewWitnessVerifier(key); err == nil {
			t.Errorf("%s is taken for the key of a witness", name)
		}
	}
	for name, key := range map[string]string{"a log's key": logKey, "the public half": vkey, "another name": strings.Replace(skey, "witness", "x", 1)} {
		if _, err := proof.NewCosigner(key, at1679315147); err == nil {
			t.Errorf("%s is taken for the key of a witness", name)
		}
	}
	if _, err := note.NewSigner(skey); err == nil {
		t.Error("the key of a witness is taken for that of a log")
	}
	for _, name := range []string{"", "a b", "a+b", "a\n", "a\x01", "\xff"} {
		if _, _, err := proof.GenerateWitnessKey(rand.Reader, name); err == nil {
			t.Errorf("%q is taken for a name", name)
		}
	}
}
