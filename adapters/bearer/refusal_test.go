package bearer_test

import (
	"encoding/json"
	"strings"
	"testing"

	"frontdesk/adapters/bearer"
	"frontdesk/adapters/bearer/bearertest"
)

// Each line is a signed token with one fault.
func TestRefusalExplainsTheFix(t *testing.T) {
	t.Parallel()
	id := app.ID.String()
	for name, test := range map[string]struct {
		edit bearertest.Edit
		want string
	}{
		"alg none":          {header("alg", "none"), "Invalid JWT: alg in the header must be RS256"},
		"alg None":          {header("alg", "None"), "Invalid JWT: alg in the header must be RS256"},
		"alg HS256":         {header("alg", "HS256"), "Invalid JWT: alg in the header must be RS256"},
		"alg PS256":         {header("alg", "PS256"), "Invalid JWT: alg in the header must be RS256"},
		"alg RS512":         {header("alg", "RS512"), "Invalid JWT: alg in the header must be RS256"},
		"alg in lower case": {header("alg", "rs256"), "Invalid JWT: alg in the header must be RS256"},
		"alg with a space":  {header("alg", "RS256 "), "Invalid JWT: alg in the header must be RS256"},
		"algs":              {header("alg", []string{"RS256"}), "Invalid JWT: alg in the header must be RS256"},
		"no alg":            {withoutHeader("alg"), "Invalid JWT: alg in the header must be RS256"},

		"no typ":            {withoutHeader("typ"), "Invalid JWT: typ in the header must be JWT"},
		"typ in lower case": {header("typ", "jwt"), "Invalid JWT: typ in the header must be JWT"},
		"typ at+jwt":        {header("typ", "at+jwt"), "Invalid JWT: typ in the header must be JWT"},
		"typ a number":      {header("typ", 1), "Invalid JWT: typ in the header must be JWT"},

		"no kid":       {withoutHeader("kid"), "Invalid JWT: kid in the header must be a non-empty string"},
		"kid empty":    {header("kid", ""), "Invalid JWT: kid in the header must be a non-empty string"},
		"kid null":     {header("kid", nil), "Invalid JWT: kid in the header must be a non-empty string"},
		"kid a number": {header("kid", 1), "Invalid JWT: kid in the header must be a non-empty string"},

		"crit":       {header("crit", []string{"exp"}), "Invalid JWT: crit in the header is not supported"},
		"crit empty": {header("crit", []string{}), "Invalid JWT: crit in the header is not supported"},
		"crit null":  {header("crit", nil), "Invalid JWT: crit in the header is not supported"},
		"b64":        {header("b64", false), "Invalid JWT: b64 in the header is not supported"},
		"b64 true":   {header("b64", true), "Invalid JWT: b64 in the header is not supported"},
		"odd jwk":    {header("jwk", "mine"), "Invalid JWT: a registered member of the header is malformed"},
		"too long":   {claim("pad", strings.Repeat("x", 8192)), "Invalid JWT: the token is longer than 8192 bytes"},

		"no iss":    {without("iss"), "JWT is missing the iss claim"},
		"iss null":  {claim("iss", nil), "JWT is missing the iss claim"},
		"no sub":    {without("sub"), "JWT is missing the sub claim"},
		"sub empty": {claim("sub", ""), "JWT is missing the sub claim"},
		"no iat":    {without("iat"), "JWT is missing the iat claim"},
		"iat null":  {claim("iat", nil), "JWT is missing the iat claim"},
		"no exp":    {without("exp"), "JWT is missing the exp claim"},
		"exp empty": {claim("exp", ""), "JWT is missing the exp claim"},
		"EXP":       {rename("exp", "EXP"), "JWT is missing the exp claim"},
		"Iss":       {rename("iss", "Iss"), "JWT is missing the iss claim"},

		"iss a number": {claim("iss", 1), "Invalid JWT: iss must be a string of printable characters"},
		"sub a number": {claim("sub", 1), "Invalid JWT: sub must be a string of printable characters"},
		"sub with NUL": {claim("sub", "ann\x00"), "Invalid JWT: sub must be a string of printable characters"},
		"subs":         {claim("sub", []string{id}), "Invalid JWT: sub must be a string of printable characters"},
		"azp a number": {claim("azp", 1), "Invalid JWT: azp must be a string of printable characters"},
		"nbf text":     {claim("nbf", "now"), "Invalid JWT: nbf must be a number of seconds since 1970"},

		"a user without azp":  {claim("sub", "ann"), "JWT is missing the azp claim"},
		"a user, azp null":    {both(claim("sub", "ann"), claim("azp", nil)), "JWT is missing the azp claim"},
		"a user, azp empty":   {both(claim("sub", "ann"), claim("azp", "")), "JWT is missing the azp claim"},
		"a user, another azp": {both(as("ann"), claim("azp", other.ID.String())), "Invalid JWT: azp must equal iss"},
		"azp longer":          {claim("azp", id+" "), "Invalid JWT: azp must equal iss"},
		"another azp":         {claim("azp", other.ID.String()), "Invalid JWT: azp must equal iss"},
		"act on a user":       {both(as("ann"), claim("act", bearertest.Act())), "Invalid JWT: act is allowed only where sub equals iss"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := bearer.Parse(app.Token(noon, test.edit), noon)
			refused(t, err, test.want)
		})
	}
}

// rename gives a claim another name.
func rename(from, to string) bearertest.Edit {
	return func(_, claims map[string]any) {
		claims[to] = claims[from]
		delete(claims, from)
	}
}

func both(first, second bearertest.Edit) bearertest.Edit {
	return func(header, claims map[string]any) {
		first(header, claims)
		second(header, claims)
	}
}

func TestFirstOfSeveralFaultsIsReported(t *testing.T) {
	t.Parallel()
	everything := []bearertest.Edit{
		header("typ", "x"), without("iss"), claim("sub", 1), claim("exp", 1), claim("azp", "x"), claim("act", 1),
	}
	mend := []bearertest.Edit{
		header("typ", "JWT"), claim("iss", app.ID.String()), claim("sub", "ann"), claim("exp", noon.Unix()+61),
		claim("exp", noon.Unix()), claim("azp", app.ID.String()),
	}
	for i, want := range []string{
		"Invalid JWT: typ in the header must be JWT",
		"JWT is missing the iss claim",
		"Invalid JWT: sub must be a string of printable characters",
		"Invalid JWT: the token expired 20833 days ago (at 1970-01-01T00:00:01Z); is your clock slow?",
		"Invalid JWT: exp must be at most 60 seconds after iat: it is 61 s after iat",
		"Invalid JWT: azp must equal iss",
		"Invalid JWT: act is allowed only where sub equals iss",
	} {
		_, err := bearer.Parse(app.Token(noon, append(everything, mend[:i]...)...), noon)
		refused(t, err, want)
	}
}

// A token may contain anything about keys in the form of the standards. No library here
// knows some of these kinds of key.
func TestHearsayAboutKeysIsIgnored_D7(t *testing.T) {
	t.Parallel()
	keys := mustKeys(t, app.JWKS())
	for _, hearsay := range []struct {
		name  string
		value any
	}{
		{"jwk", bearertest.JWK(app.Kid, &stranger.Key.PublicKey)},
		{"jwk", map[string]any{"kty": "AKP", "alg": "ML-DSA-65", "pub": "AA"}},
		{"jwk", map[string]any{"kty": "OKP", "crv": "X448", "x": "AA"}},
		{"jwk", map[string]any{"kty": "EC", "crv": "secp256k1", "x": "AA", "y": "AA"}},
		{"jwk", map[string]any{"kty": "RSA", "n": "AQAB", "e": "AQAB"}},
		{"jwk", map[string]any{"kty": "of next year", "n": 1e300}},
		{"jwk", nil},
		{"x5c", []string{}},
		{"x5c", []string{"AQ=="}}, // of a kind that package x509 does not know
		{"x5c", nil},
		{"nonce", "n"},
		{"jku", "https://keys.example/"}, {"jku", 7},
		{"x5u", "https://keys.example/"},
		{"x5t", "AA"}, {"x5t#S256", "AA"},
		{"cty", "JWT"},
		{"of next year", json.RawMessage("1e999")},
	} {
		token, err := bearer.Parse(app.Token(noon, header(hearsay.name, hearsay.value)), noon)
		if err != nil || token.Verify(keys) != nil {
			t.Errorf("%v spoils a good token: %v", hearsay, err)
		}
		forged, err := bearer.Parse(stranger.Token(noon, header(hearsay.name, hearsay.value)), noon)
		if err != nil {
			t.Errorf("%v: %v", hearsay, err)
			continue
		}
		refused(t, forged.Verify(keys), "Invalid JWT: the signature check failed for the key that kid names")
	}
}

func TestMalformedHearsayIsRefused_D7(t *testing.T) {
	t.Parallel()
	for _, hearsay := range []struct {
		name  string
		value any
	}{
		{"jwk", map[string]any{"kty": "EC", "crv": "P-256", "x": "AA", "y": "AA", "d": "AA"}},
		{"jwk", "mine"}, {"jwk", []any{}}, {"jwk", map[string]any{}}, {"jwk", map[string]any{"kty": 1}}, {"jwk", map[string]any{"kty": ""}},
		{"x5c", "AQ=="}, {"x5c", []any{1}}, {"x5c", []string{""}}, {"x5c", []string{"no base64"}}, {"x5c", map[string]any{}},
		{"nonce", 1},
	} {
		_, err := bearer.Parse(app.Token(noon, header(hearsay.name, hearsay.value)), noon)
		refused(t, err, "Invalid JWT: a registered member of the header is malformed")
	}
}
