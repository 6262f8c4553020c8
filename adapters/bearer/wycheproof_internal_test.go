package bearer

import (
	"encoding/json"
	"io/fs"
	"slices"
	"testing"

	"github.com/c2sp/wycheproof"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"
)

// Wycheproof's vectors are signatures that implementations have wrongly accepted. They
// cover all algorithms and we accept only RS256, so most of their valid ones are
// refused here.

// vectors is one file of them.
type vectors struct {
	Groups []struct {
		Public  map[string]json.RawMessage `json:"public"`  // a key or a set of keys
		Private map[string]json.RawMessage `json:"private"` // the same; alone where the key is a secret
		Tests   []vector                   `json:"tests"`
	} `json:"testGroups"`
}

type vector struct {
	ID     int      `json:"tcId"`
	JWS    string   `json:"jws"`
	Result string   `json:"result"`
	Flags  []string `json:"flags"`
}

func readVectors(t *testing.T, name string) vectors {
	t.Helper()
	data, err := fs.ReadFile(wycheproof.TestVectors, name)
	if err != nil {
		t.Fatal(err)
	}
	var v vectors
	if err := json.Unmarshal(data, &v); err != nil {
		t.Fatal(err)
	}
	return v
}

// published is the key set with these keys.
func published(t *testing.T, public, private map[string]json.RawMessage) KeySet {
	t.Helper()
	document := public
	if document == nil {
		document = private
	}
	data, err := json.Marshal(document)
	if err != nil {
		t.Fatal(err)
	}
	if _, isSet := document["keys"]; !isSet {
		data = slices.Concat([]byte(`{"keys":[`), data, []byte(`]}`))
	}
	set, _ := ReadKeySet(data) // an unreadable one refuses everything
	return set
}

// judgeJWS checks a vector with Parse and Verify, without the claims and the typ that
// vectors lack.
func judgeJWS(jws string, keys KeySet) error {
	parts, err := split(jws)
	if err != nil {
		return err
	}
	var h header
	if err := section("header", parts.header, &h); err != nil {
		return err
	}
	h.Typ = jsontext.Value(`"JWT"`)
	kid, err := h.check()
	if err != nil {
		return err
	}
	return Token{kid: kid, signed: parts.signed, signature: parts.signature}.Verify(keys)
}

func TestWycheproofSignatures(t *testing.T) {
	t.Parallel()
	for file, want := range map[string][]int{
		// The valid ones of RS256: plain, with any payload, RFC 7520's with use and with key_ops.
		"json_web_signature_test.json": {33, 259, 260, 261, 262, 263, 345, 349},
		// 7 is called invalid: a modulus made by a chip with weak keys (ROCA). That
		// harms only the application itself, and D7 does not check for it.
		"json_web_key_test.json": {5, 7},
	} {
		judged := 0
		var accepted []int
		for _, group := range readVectors(t, file).Groups {
			keys := published(t, group.Public, group.Private)
			for _, test := range group.Tests {
				judged++
				if judgeJWS(test.JWS, keys) == nil {
					accepted = append(accepted, test.ID)
				}
			}
		}
		if diff := cmp.Diff(want, accepted); diff != "" {
			t.Errorf("%s: %s", file, diff)
		}
		t.Logf("%s: %d vectors", file, judged)
	}
}
