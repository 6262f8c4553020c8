package signing_test

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/go-jose/go-jose/v4"

	"frontdesk/adapters/postgres"
	"frontdesk/adapters/signing"
	"frontdesk/domain/signingkey"
	"frontdesk/projections"
)

// published is the key set that receivers fetch.
func (s *service) published() *jose.JSONWebKeySet {
	s.t.Helper()
	document, err := (&signing.KeySet{Keys: projections.SigningKeys{DB: s.pool}}).Document(s.t.Context())
	must(s.t, err)
	var set jose.JSONWebKeySet
	must(s.t, json.Unmarshal(document, &set))
	return &set
}

func TestTheKeySetHoldsAllButRetiredKeys_D34(t *testing.T) {
	t.Parallel()
	s := newService(t)
	wantKeys := func(want ...signingkey.KID) {
		t.Helper()
		set := s.published()
		for i, key := range set.Keys {
			if i >= len(want) || key.KeyID != string(want[i]) || key.Algorithm != "RS256" || key.Use != "sig" || !key.IsPublic() || !key.Valid() {
				t.Errorf("key %d is %+v", i, key)
			}
		}
		if len(set.Keys) != len(want) {
			t.Errorf("%d keys are published, want %d", len(set.Keys), len(want))
		}
	}
	wantKeys(s.kid)
	next := s.stageKey()
	wantKeys(s.kid, next)
	s.clock.Pass(signingkey.StagedFor)
	s.activateKey(next)
	wantKeys(s.kid, next)
	s.clock.Pass(signingkey.RetiringFor)
	s.retireKey(s.kid)
	wantKeys(next)
}

func TestTheKeySetShowsNothingPrivate(t *testing.T) {
	t.Parallel()
	s := newService(t)
	document, err := (&signing.KeySet{Keys: projections.SigningKeys{DB: s.pool}}).Document(t.Context())
	must(t, err)
	var set struct{ Keys []map[string]string }
	must(t, json.Unmarshal(document, &set))
	for name := range set.Keys[0] {
		switch name {
		case "kty", "use", "alg", "kid", "n", "e":
		default:
			t.Errorf("the key set shows %q", name)
		}
	}
}

func TestKeySetIsServedWithoutDatabase(t *testing.T) {
	t.Parallel()
	s := newService(t)
	pool, err := postgres.NewPool(t.Context(), s.url, 0)
	must(t, err)
	set := &signing.KeySet{Keys: projections.SigningKeys{DB: pool}}
	before, err := set.Document(t.Context())
	must(t, err)
	pool.Close()
	after, err := set.Document(t.Context())
	if err != nil || !bytes.Equal(before, after) {
		t.Errorf("%s, %v; want %s", after, err, before)
	}
	if _, err := (&signing.KeySet{Keys: projections.SigningKeys{DB: pool}}).Document(t.Context()); err == nil {
		t.Error("an empty set was made up")
	}
}
