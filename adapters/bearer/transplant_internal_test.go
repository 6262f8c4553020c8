package bearer

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"maps"
	"math/big"
	"slices"
	"strings"
	"testing"
	"time"
)

// The vectors with broken padding sign a payload that is not a token, so a service that
// ignores padding would also refuse them. Here each break is transplanted into an
// otherwise valid token: the digest in the padded block is replaced by the token's own,
// and the block is signed with the vector's private key.
func TestWycheproofPaddingInTokens(t *testing.T) {
	t.Parallel()
	group := readVectors(t, "json_web_signature_test.json").Groups[2]
	keys := published(t, group.Public, nil)
	signer := newBlockSigner(t, group.Private)
	now := time.Unix(1_800_000_000, 0)
	input := encode64(`{"alg":"RS256","typ":"JWT","kid":"kid-rsa-sign"}`) + "." +
		encode64(`{"iss":"a","sub":"a","iat":1800000000,"exp":1800000060}`)

	verdicts := map[Reason]int{}
	for _, test := range group.Tests {
		if test.Result != "valid" && !slices.Contains(test.Flags, "ModifiedPadding") {
			continue
		}
		signature := signer.transplant(t, test.JWS, input)
		token, err := Parse(input+"."+signature, now)
		if err != nil {
			t.Fatalf("vector %d: %v", test.ID, err)
		}
		verdict := Reason("accepted")
		if refusal, refused := errors.AsType[*Refusal](token.Verify(keys)); refused {
			verdict = refusal.Reason
		}
		if verdict == "accepted" && test.Result != "valid" {
			t.Errorf("vector %d: a token with broken padding is accepted", test.ID)
		}
		verdicts[verdict]++
	}
	if want := map[Reason]int{"accepted": 1, "signature": 213}; !maps.Equal(verdicts, want) {
		t.Errorf("verdicts %v, want %v", verdicts, want)
	}
}

func encode64(s string) string { return strict64.EncodeToString([]byte(s)) }

// blockSigner signs padded blocks as they are.
type blockSigner struct{ n, e, d *big.Int }

func newBlockSigner(t *testing.T, private map[string]json.RawMessage) blockSigner {
	t.Helper()
	number := func(name string) *big.Int {
		data, ok := decode(strings.Trim(string(private[name]), `"`))
		if !ok {
			t.Fatalf("the vectors' private key has no %s", name)
		}
		return new(big.Int).SetBytes(data)
	}
	return blockSigner{number("n"), number("e"), number("d")}
}

// transplant is the vector's signature made over another input. Some vectors contain no
// digest and would be valid for any input.
func (s blockSigner) transplant(t *testing.T, jws, input string) string {
	t.Helper()
	dot := strings.LastIndexByte(jws, '.')
	original, ok := decode(jws[dot+1:])
	number := new(big.Int).SetBytes(original)
	if !ok || number.Cmp(s.n) >= 0 {
		t.Fatalf("%s is no signature by this key", jws[dot+1:])
	}
	block := new(big.Int).Exp(number, s.e, s.n).FillBytes(make([]byte, len(original)))
	block = bytes.Replace(block, digest(jws[:dot]), digest(input), 1)
	signature := new(big.Int).Exp(new(big.Int).SetBytes(block), s.d, s.n)
	return strict64.EncodeToString(signature.FillBytes(make([]byte, len(original))))
}

func digest(s string) []byte {
	sum := sha256.Sum256([]byte(s))
	return sum[:]
}
