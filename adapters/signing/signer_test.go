package signing_test

import (
	"errors"
	"testing"

	"github.com/go-jose/go-jose/v4"

	"frontdesk/adapters/sealing"
	"frontdesk/adapters/signing"
	"frontdesk/domain/signingkey"
)

// Another library verifies the signature with the published key.
func TestSignatureVerifiesWithPublishedKey_6_4(t *testing.T) {
	t.Parallel()
	s := newService(t)
	next := s.stageKey()
	signer := &signing.Signer{Vault: s.vault()}
	for _, kid := range []signingkey.KID{s.kid, next, s.kid} {
		sign, err := signer.With(t.Context(), kid)
		must(t, err)
		jwt, err := sign([]byte(`{"iss":"service"}`))
		must(t, err)
		parsed, err := jose.ParseSignedCompact(jwt, []jose.SignatureAlgorithm{jose.RS256})
		must(t, err)
		header := parsed.Signatures[0].Protected
		if header.KeyID != string(kid) || header.ExtraHeaders["typ"] != "JWT" {
			t.Errorf("header %+v, want the kid %s", header, kid)
		}
		payload, err := parsed.Verify(s.published().Key(string(kid))[0])
		if err != nil || string(payload) != `{"iss":"service"}` {
			t.Errorf("%s, %v", payload, err)
		}
	}
}

func TestUndecryptableKeySignsNothing(t *testing.T) {
	t.Parallel()
	s := newService(t)
	other := s.vault()
	other.Masters = sealing.NewRing(sealing.MasterKey{2, 2, 3})
	if _, err := (&signing.Signer{Vault: other}).With(t.Context(), s.kid); !errors.Is(err, signing.ErrWrongMasterKey) {
		t.Errorf("with another master key: %v", err)
	}
	if _, err := (&signing.Signer{Vault: s.vault()}).With(t.Context(), "unknown"); !errors.Is(err, signing.ErrKeyLost) {
		t.Errorf("with a key that there is none of: %v", err)
	}
}
