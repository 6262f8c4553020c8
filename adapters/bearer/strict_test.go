package bearer_test

import (
	"fmt"
	"strings"
	"testing"

	"frontdesk/adapters/bearer"
)

func TestTheTextOfATokenIsStrict(t *testing.T) {
	t.Parallel()
	right := app.Sign([]byte(rightHeader), []byte(rightClaims))
	if err := judge(right, mustKeys(t, app.JWKS())); err != nil {
		t.Fatal(err)
	}
	parts := strings.Split(right, ".")
	join := func(parts ...string) string { return strings.Join(parts, ".") }
	const (
		three     = "Invalid JWT: a signed token has three parts with a dot between them"
		header    = "Invalid JWT: the header is not base64url without padding"
		claims    = "Invalid JWT: the claims part is not base64url without padding"
		signature = "Invalid JWT: the signature is not base64url without padding"
	)
	for name, test := range map[string]struct{ token, want string }{
		"nothing":                {"", three},
		"one part":               {parts[0], three},
		"two parts":              {join(parts[0], parts[1]), three},
		"four parts":             {right + ".", three},
		"a JWE":                  {join(parts[0], parts[1], parts[2], parts[1], parts[2]), three},
		"a megabyte of dots":     {strings.Repeat(".", 1<<20), "Invalid JWT: the token is longer than 8192 bytes"},
		"8193 bytes":             {strings.Repeat("a", 8193), "Invalid JWT: the token is longer than 8192 bytes"},
		"8192 bytes":             {strings.Repeat("a", 8192), three},
		"the JSON form":          {fmt.Sprintf(`{"protected":%q,"payload":%q,"signature":%q}`, parts[0], parts[1], parts[2]), three},
		"the JSON form, dotted":  {fmt.Sprintf(`{"payload":%q,".":".","signature":%q}`, parts[1], parts[2]), header},
		"a space in front":       {" " + right, header},
		"a line break behind":    {right + "\n", signature},
		"a line break inside":    {join(parts[0], parts[1][:8]+"\r\n"+parts[1][8:], parts[2]), claims},
		"a tab inside":           {join(parts[0][:4]+"\t"+parts[0][4:], parts[1], parts[2]), header},
		"padding":                {join(parts[0], parts[1], parts[2]+"=="), signature},
		"the other alphabet":     {join(parts[0], parts[1], strings.Repeat("+", 342)), signature},
		"a length no bytes have": {join(parts[0], parts[1], parts[2]+"AAA"), signature},
		"no header":              {join("", parts[1], parts[2]), "Invalid JWT: the header is not a JSON object"},
		"no claims":              {join(parts[0], "", parts[2]), "Invalid JWT: the claims part is not a JSON object"},
		"no signature":           {join(parts[0], parts[1], ""), badSignature},
		"half a signature":       {join(parts[0], parts[1], parts[2][:168]), badSignature},
		"the claims of another":  {join(parts[0], b64(strings.ReplaceAll(rightClaims, "0001", "0002")), parts[2]), badSignature},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			refused(t, judge(test.token, mustKeys(t, app.JWKS())), test.want)
		})
	}
}

// A 2048-bit signature ends in a character with four unused bits: a lax decoder accepts
// sixteen tokens for one signature.
func TestASignatureIsWrittenInOneWay(t *testing.T) {
	t.Parallel()
	const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
	right := app.Token(noon)
	keys := mustKeys(t, app.JWKS())
	accepted := 0
	for _, last := range alphabet {
		if judge(right[:len(right)-1]+string(last), keys) == nil {
			accepted++
		}
	}
	if accepted != 1 {
		t.Errorf("%d last characters are accepted", accepted)
	}
}

func TestHeaderAndClaimsAreStrictJSON(t *testing.T) {
	t.Parallel()
	with := func(member string) string { return strings.TrimSuffix(rightClaims, "}") + "," + member + "}" }
	const (
		twice  = "Invalid JWT: the claims part names a member twice"
		broken = "Invalid JWT: the claims part is not a JSON object"
	)
	for name, test := range map[string]struct{ header, claims, want string }{
		"alg twice":               {`{"alg":"none","alg":"RS256","typ":"JWT","kid":"test-key"}`, rightClaims, "Invalid JWT: the header names a member twice"},
		"the header a list":       {`["RS256"]`, rightClaims, "Invalid JWT: the header is not a JSON object"},
		"the header null":         {`null`, rightClaims, "Invalid JWT: the header is not a JSON object"},
		"the header and more":     {rightHeader + "{}", rightClaims, "Invalid JWT: the header is not a JSON object"},
		"ALG":                     {`{"ALG":"RS256","typ":"JWT","kid":"test-key"}`, rightClaims, "Invalid JWT: alg in the header must be RS256"},
		"claims a string":         {rightHeader, `"{}"`, broken},
		"claims a token":          {rightHeader, app.Token(noon), broken},
		"claims and more":         {rightHeader, rightClaims + " 1", broken},
		"a comma too many":        {rightHeader, with(""), broken},
		"a comment":               {rightHeader, with(`"a":1/**/`), broken},
		"NaN":                     {rightHeader, with(`"nbf":NaN`), broken},
		"a leading zero":          {rightHeader, with(`"nbf":01`), broken},
		"half an UTF-8 letter":    {rightHeader, with("\"a\":\"\xc3\""), broken},
		"a byte order mark":       {rightHeader, "\ufeff" + rightClaims, broken},
		"iss twice":               {rightHeader, with(`"iss":"01980000-0000-7000-8000-000000000001"`), twice},
		"iss twice, by escapes":   {rightHeader, with(`"\u0069ss":"01980000-0000-7000-8000-000000000001"`), twice},
		"exp twice":               {rightHeader, with(`"exp":1900000000`), twice},
		"an unknown name twice":   {rightHeader, with(`"a":1,"a":2`), twice},
		"twice, deep down":        {rightHeader, with(`"a":[{"b":{"c":1,"d":[],"c":2}}]`), twice},
		"deeper than it is worth": {rightHeader, with(`"a":` + strings.Repeat("[", 2500) + strings.Repeat("]", 2499)), broken},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := bearer.Parse(app.Sign([]byte(test.header), []byte(test.claims)), noon)
			refused(t, err, test.want)
		})
	}
}
