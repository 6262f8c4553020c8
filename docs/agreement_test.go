package docs_test

import (
	"encoding/base64"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"

	"frontdesk/adapters/bearer"
	"frontdesk/adapters/bearer/bearertest"
)

const (
	mutations = 10_000
	byCommand = 50 // one of so many goes through the command line as well
)

// The server and token explain give the same verdict on each of 10,000 random mutations of
// tokens. Each has a seed, so that a failure can be repeated.
func TestTokenExplainAgreesWithTheServer(t *testing.T) {
	t.Parallel()
	document := string(app.JWKS())
	url, file := newPublisher(t).publish(document), writeFile(t, "jwks.json", document)
	server := newServer(t, url, noon)
	keys := func() (bearer.KeySet, error) { return bearer.ReadPublished(url, []byte(document)) }
	said := map[string]int{}
	for seed := range uint64(mutations) {
		call := mutate(rand.New(rand.NewPCG(seed, 0)))
		want := authenticate(t, server, call)
		if got := explained(t, call, keys); got != want {
			t.Fatalf("seed %d: %q: the server says %+v, token explain %+v", seed, call, want, got)
		}
		if seed%byCommand == 0 && !strings.ContainsAny(call, "\r\n") { // the command line takes those for line ends
			if got := explainSays(t, file, call, noon); got != want {
				t.Fatalf("seed %d: %q: the server says %+v, the command %+v", seed, call, want, got)
			}
		}
		said[want.description]++
	}
	if said[""] < mutations/20 || len(said) < 40 {
		t.Errorf("the mutations are too tame: %d accepted, %d verdicts", said[""], len(said))
	}
}

// explained is the verdict of the function behind token explain.
func explained(t *testing.T, authorisation string, keys func() (bearer.KeySet, error)) judgement {
	t.Helper()
	token, err := bearer.Explain([]string{arrived(authorisation)}, keys, noon)
	if _, refusal := errors.AsType[*bearer.Refusal](err); refusal {
		return refused(t, err)
	}
	if err != nil {
		t.Fatal(err)
	}
	return judgement{accepted: true, application: token.Issuer, mode: token.Mode(), username: token.Username()}
}

// mutate returns an Authorization header that may be faulty. Most are not signed again,
// because that takes long.
func mutate(r *rand.Rand) string {
	switch r.IntN(9) {
	case 0: // other claims
		return "Bearer " + app.Token(noon, pick(r, kinds...), oddClaim(r))
	case 1: // another header
		return "Bearer " + app.Token(noon, pick(r, kinds...), oddHeader(r))
	case 2: // other bytes, signed as they are
		head, claims := []byte(header), []byte(claims)
		scribble(r, pick(r, head, claims))
		return "Bearer " + app.Sign(head, claims)
	case 3, 4: // other bytes of a part under the old signature
		parts := strings.Split(pick(r, minted()...), ".")
		n := r.IntN(len(parts))
		decoded, err := base64.RawURLEncoding.DecodeString(parts[n])
		if err != nil {
			panic(err) // we encoded it
		}
		scribble(r, decoded)
		parts[n] = base64.RawURLEncoding.EncodeToString(decoded)
		return "Bearer " + strings.Join(parts, ".")
	case 5, 6: // other characters
		text := []byte("Bearer " + pick(r, minted()...))
		scribble(r, text)
		return string(text)
	}
	return reshape(r, pick(r, minted()...))
}

// kinds are the edits that make each kind of right token.
var kinds = []bearertest.Edit{
	func(_, _ map[string]any) {}, bearertest.As("ann.lee"), claim("act", bearertest.Act()),
}

// minted is a right token of each kind.
var minted = sync.OnceValue(func() (tokens []string) {
	for _, kind := range kinds {
		tokens = append(tokens, app.Token(noon, kind))
	}
	return tokens
})

func pick[T any](r *rand.Rand, all ...T) T { return all[r.IntN(len(all))] }

// scribble changes a few bytes.
func scribble(r *rand.Rand, text []byte) {
	for range 1 + r.IntN(3) {
		text[r.IntN(len(text))] = pick(r, byte('a'), '"', '.', ' ', '=', '-', '0', '{', '}', ',', '\\', byte(r.IntN(256)))
	}
}

// reshape moves whole parts about.
func reshape(r *rand.Rand, token string) string {
	parts := strings.Split(token, ".")
	switch r.IntN(5) {
	case 0:
		r.Shuffle(len(parts), func(i, j int) { parts[i], parts[j] = parts[j], parts[i] })
	case 1:
		parts = append(parts, parts[r.IntN(3)])
	case 2:
		parts = parts[:r.IntN(3)]
	case 3:
		n := r.IntN(3)
		parts[n] = parts[n][:r.IntN(len(parts[n]))]
	case 4:
		parts[r.IntN(3)] = ""
	}
	return pick(r, "Bearer ", "Bearer ", "bearer  ", "Bearer", "Basic ", "") + strings.Join(parts, ".")
}

var odd = []any{
	nil, "", " ", "x", 0, 1, -1, 1.5, true, []any{}, map[string]any{}, "ann.lee", "Ann\u0000", "RS256", "none", "jwt", "JWT", "test-key",
	noon.Unix(), noon.Unix() + 60, noon.Unix() + 61, noon.Unix() - 61, noon.Unix() - 200, noon.Unix() * 1000,
	"01980000-0000-7000-8000-000000000001", "01980000-0000-7000-8000-000000000002", "01980000-0000-7000-8000-00000000000A",
}

func oddClaim(r *rand.Rand) bearertest.Edit {
	name := pick(r, "iss", "sub", "iat", "exp", "nbf", "azp", "act", "aud", "EXP")
	if r.IntN(4) == 0 {
		return without(name)
	}
	if name == "act" && r.IntN(2) == 0 {
		return claim("act", actWith(pick(r, "name", "email", "gmc_number"), fmt.Sprint(pick(r, odd...))))
	}
	return claim(name, pick(r, odd...))
}

func oddHeader(r *rand.Rand) bearertest.Edit {
	name := pick(r, "alg", "typ", "kid", "crit", "b64", "jwk", "jku", "cty")
	if r.IntN(4) == 0 {
		return withoutHeader(name)
	}
	return head(name, pick(r, odd...))
}
