package docs_test

import (
	"encoding/json"
	"maps"
	"strings"
	"time"

	"frontdesk/adapters/bearer/bearertest"
)

const (
	header = `{"alg":"RS256","typ":"JWT","kid":"test-key"}`
	claims = `{"iss":"01980000-0000-7000-8000-000000000001","sub":"01980000-0000-7000-8000-000000000001","iat":1800000000,"exp":1800000060}`
)

var (
	claim         = bearertest.Claim
	without       = bearertest.Without
	head          = bearertest.Header
	withoutHeader = bearertest.WithoutHeader
)

// token is a vector of a token that is right but for the edits; want is the
// refusal, "" when it is accepted.
func token(name, clause, want string, edits ...bearertest.Edit) tokenVector {
	return bare(name, clause, want, "Bearer "+app.Token(noon, edits...))
}

// written is a vector of a token that no encoder would write.
func written(name, clause, want, header, claims string) tokenVector {
	return bare(name, clause, want, "Bearer "+app.Sign([]byte(header), []byte(claims)))
}

func bare(name, clause, want, authorisation string) tokenVector {
	return tokenVector{Name: name, Clause: clause, Authorization: authorisation, Accepted: want == "", Description: want}
}

// at judges a vector at another time than noon.
func at(d time.Duration, v tokenVector) tokenVector {
	v.Now = after(d)
	return v
}

func tokenVectors() []tokenVector {
	right := app.Token(noon)
	parts := strings.Split(right, ".")
	number := func(text string) json.Number { return json.Number(text) }
	return []tokenVector{
		// Right ones.
		token("for the application itself", "§5.3", ""),
		token("on behalf of a user", "§5.3", "", bearertest.As("ann.lee")),
		token("with act", "§2.7", "", claim("act", bearertest.Act())),
		token("act is null", "D6", "", claim("act", nil)),
		token("azp where it is not needed", "D6", "", claim("azp", app.ID.String())),
		token("claims that are not known", "D4", "", claim("aud", "whoever"), claim("jti", 7), claim("EXP", "never")),
		token("fractions of seconds", "D4", "", claim("iat", number("1800000000.25")), claim("exp", number("1800000060.250"))),
		token("exp before iat", "D4", "", claim("iat", 1800000030), claim("exp", 1799999990)),
		token("keys and addresses of keys in the header", "D7", "", head("jku", "https://evil.example/jwks.json"), head("x5u", "https://evil.example")),
		bare("the scheme in lower case", "D1", "", "bearer "+right),
		bare("spaces after the scheme", "D1", "", "Bearer   "+right),
		at(120*time.Second, token("expired for exactly the skew", "D4", "")),
		at(-60*time.Second, token("issued ahead by exactly the skew", "D4", "")),

		// The header line.
		bare("an empty header", "D1", "Invalid Authorization format", ""),
		bare("another scheme", "D1", "Invalid Authorization format", "Basic "+right),
		bare("no scheme", "D1", "Invalid Authorization format", right),
		bare("no token", "D1", "Invalid Authorization format", "Bearer "),
		bare("two tokens", "D1", "Invalid Authorization format", "Bearer "+right+" "+right),
		bare("something after the token", "D1", "Invalid Authorization format", "Bearer "+right+" ;"),
		bare("a space after the token, which HTTP drops", "D92", "", "Bearer "+right+" "),

		// The form.
		bare("two parts", "D1", "Invalid JWT: a signed token has three parts with a dot between them", "Bearer "+parts[0]+"."+parts[1]),
		bare("four parts", "D1", "Invalid JWT: a signed token has three parts with a dot between them", "Bearer "+right+"."),
		bare("longer than 8 KiB", "D1", "Invalid JWT: the token is longer than 8192 bytes", "Bearer "+strings.Repeat("a", 8193)),
		bare("padded base64", "D1", "Invalid JWT: the header is not base64url without padding", "Bearer "+parts[0]+"=."+parts[1]+"."+parts[2]),
		bare("the other base64 alphabet", "D1", "Invalid JWT: the signature is not base64url without padding", "Bearer "+parts[0]+"."+parts[1]+".+/+/"),
		written("a header that is no object", "D1", "Invalid JWT: the header is not a JSON object", `"RS256"`, claims),
		written("claims that are no object", "D1", "Invalid JWT: the claims part is not a JSON object", header, `[]`),
		written("claims twice", "D1", "Invalid JWT: the claims part names a member twice", header, strings.Replace(claims, "{", `{"exp":1800000000,`, 1)),
		written("twice by an escape", "D1", "Invalid JWT: the claims part names a member twice", header, strings.Replace(claims, "{", `{"\u0065xp":1800000000,`, 1)),
		written("a header member twice", "D1", "Invalid JWT: the header names a member twice", strings.Replace(header, "{", `{"alg":"RS256",`, 1), claims),

		// The header.
		token("alg none", "§5.2", "Invalid JWT: alg in the header must be RS256", head("alg", "none")),
		token("alg HS256", "§5.2", "Invalid JWT: alg in the header must be RS256", head("alg", "HS256")),
		token("alg RS512", "§5.2", "Invalid JWT: alg in the header must be RS256", head("alg", "RS512")),
		token("alg in lower case", "§5.2", "Invalid JWT: alg in the header must be RS256", head("alg", "rs256")),
		token("no typ", "§5.2", "Invalid JWT: typ in the header must be JWT", withoutHeader("typ")),
		token("typ in lower case", "D1", "Invalid JWT: typ in the header must be JWT", head("typ", "jwt")),
		token("no kid", "§5.2", "Invalid JWT: kid in the header must be a non-empty string", withoutHeader("kid")),
		token("a number for a kid", "§5.2", "Invalid JWT: kid in the header must be a non-empty string", head("kid", 7)),
		token("crit", "D1", "Invalid JWT: crit in the header is not supported", head("crit", []string{"exp"})),
		token("b64", "D1", "Invalid JWT: b64 in the header is not supported", head("b64", false)),

		// The claims.
		token("no iss", "§5.2", "JWT is missing the iss claim", without("iss")),
		token("no sub", "§5.2", "JWT is missing the sub claim", without("sub")),
		token("no iat", "§5.2", "JWT is missing the iat claim", without("iat")),
		token("no exp", "§5.2", "JWT is missing the exp claim", without("exp")),
		token("exp is null", "D1", "JWT is missing the exp claim", claim("exp", nil)),
		token("a user without azp", "§5.2", "JWT is missing the azp claim", claim("sub", "ann.lee")),
		token("another's azp", "D6", "Invalid JWT: azp must equal iss", bearertest.As("ann.lee"), claim("azp", "01980000-0000-7000-8000-000000000002")),
		token("iss is a number", "D1", "Invalid JWT: iss must be a string of printable characters", claim("iss", 7)),
		token("exp is a text", "D1", "Invalid JWT: exp must be a number of seconds since 1970", claim("exp", "1800000060")),
		token("act for a user", "§5.2", "Invalid JWT: act is allowed only where sub equals iss", bearertest.As("ann.lee"), claim("act", bearertest.Act())),
		token("act without a practitioner", "§2.7", "Invalid JWT: act.practitioner must be an object", claim("act", actWithout("practitioner"))),
		token("act without an organisation", "§2.7", "Invalid JWT: act.organisation must be an object", claim("act", actWithout("organisation"))),
		token("act with six digits", "D6", "Invalid JWT: act.practitioner.gmc_number must be seven digits", claim("act", actWith("gmc_number", "123456"))),
		token("act with two @", "D6", "Invalid JWT: act.practitioner.email must be an e-mail address", claim("act", actWith("email", "ann@home@work"))),

		// The times.
		token("a lifetime of 61 seconds", "§5.2", "Invalid JWT: exp must be at most 60 seconds after iat: it is 61 s after iat", claim("exp", 1800000061)),
		token("a lifetime of 60.5 seconds", "D4", "Invalid JWT: exp must be at most 60 seconds after iat: it is over 60 s after iat", claim("exp", number("1800000060.5"))),
		token("milliseconds for seconds", "§5.2", "Invalid JWT: iat is 1800000000000, which looks like milliseconds: iat must be in seconds", claim("iat", 1800000000000), claim("exp", 1800000060000)),
		at(120*time.Second+time.Millisecond, token("expired for a millisecond more", "D4", "Invalid JWT: the token expired 60 s ago (at 08:01:00Z); is your clock slow?")),
		at(-61*time.Second, token("issued ahead by more", "D4", "Invalid JWT: the token was issued in the future: iat is 61 s ahead (at 08:00:00Z); is your clock fast?")),
		at(-61*time.Second, token("not yet valid", "D4", "Invalid JWT: the token is not valid yet: nbf is 61 s ahead (at 08:00:00Z); is your clock fast?", claim("iat", 1799999930), claim("exp", 1799999980), claim("nbf", 1800000000))),

		// The signature.
		token("iss is nobody's", "D11", "Invalid JWT: iss is not a registered application", claim("iss", "referrals"), claim("sub", "referrals")),
		token("iss in upper case", "D5", "Invalid JWT: iss is not a registered application", claim("iss", strings.ToUpper("01980000-0000-7000-8000-00000000000a")), claim("sub", "ann"), claim("azp", strings.ToUpper("01980000-0000-7000-8000-00000000000a"))),
		token("a kid that is not published", "§5.2", "Invalid JWT: no key with this kid", head("kid", "other-key")),
		token("a kid in another case", "D5", "Invalid JWT: no key with this kid", head("kid", "Test-Key")),
		bare("somebody else's signature", "§5.1", badSignature, "Bearer "+strangersToken()),
		bare("no signature", "§5.1", badSignature, "Bearer "+parts[0]+"."+parts[1]+"."),
		bare("other claims under the signature", "§5.1", badSignature, "Bearer "+parts[0]+"."+strings.Split(app.Token(noon, bearertest.As("ann")), ".")[1]+"."+parts[2]),
	}
}

const badSignature = "Invalid JWT: the signature check failed for the key that kid names"

func strangersToken() string {
	stranger := app
	stranger.Key = bearertest.StrangersKey()
	return stranger.Token(noon)
}

func actWithout(member string) map[string]any {
	act := bearertest.Act()
	delete(act, member)
	return act
}

func actWith(member, value string) map[string]any {
	act := bearertest.Act()
	act["practitioner"].(map[string]any)[member] = value
	return act
}

// keySetVectors are the key sets that may be found at an application's JWKS URL (D7).
func keySetVectors() []tokenVector {
	const where = "Unable to obtain JWKS from {jwks-url}: "
	odd := func(edits ...any) map[string]any {
		key := maps.Clone(bearertest.JWK(app.Kid, &app.Key.PublicKey))
		for i := 0; i < len(edits); i += 2 {
			key[edits[i].(string)] = edits[i+1]
		}
		return key
	}
	other := bearertest.JWK("other-key", &bearertest.StrangersKey().PublicKey)
	var all []tokenVector
	add := func(name, clause, want string, document []byte) {
		text := string(document)
		v := token(name, clause, want)
		v.JWKS = &text
		all = append(all, v)
	}
	set := bearertest.KeySet
	add("two keys in the set", "§5.7", "", set(other, odd()))
	add("an odd key beside the right one", "D7", "", set(map[string]any{"kty": "EC", "kid": "ec"}, 7, odd()))
	add("a key without use and alg", "D7", "", set(odd("use", nil, "alg", nil)))
	add("a key set that is no JSON", "§7.2", where+"the response was not JSON", []byte("<html>"))
	add("an empty key set", "§5.7", where+"the response held no usable key", set())
	add("a key for encryption", "D7", where+"the response held no usable key", set(odd("use", "enc")))
	add("a key for another algorithm", "D7", where+"the response held no usable key", set(odd("alg", "PS256")))
	add("a private key in the set", "D7", where+"the response held no usable key", set(odd("d", "AQAB")))
	add("an even exponent", "D7", where+"the response held no usable key", set(odd("e", "AQAC")))
	add("a kid twice", "D7", "Invalid JWT: no key with this kid", set(odd(), odd(), other))
	add("another's key under the kid", "§5.2", badSignature, set(odd("n", other["n"])))
	return all
}
