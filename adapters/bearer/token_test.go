package bearer_test

import (
	"crypto/sha256"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"frontdesk/adapters/bearer"
	"frontdesk/adapters/bearer/bearertest"
	"frontdesk/domain/application"
	"frontdesk/domain/event"
)

func TestARightTokenIsRead(t *testing.T) {
	t.Parallel()
	minted := app.Token(noon, claim("act", bearertest.Act()), claim("aud", "whoever"), claim("jti", 7))
	token, err := bearer.Parse(minted, noon)
	if err != nil {
		t.Fatal(err)
	}
	want := &event.OnBehalfOf{
		Practitioner: event.Practitioner{Name: "Dr Ann Lee", Email: "ann@example.org", GMCNumber: "1234567"},
		Organisation: event.Organisation{Name: "High Street Practice", ODSCode: "A12345"},
	}
	if diff := cmp.Diff(want, token.Act); diff != "" {
		t.Error(diff)
	}
	if token.Issuer != app.ID.String() || token.Mode() != application.ApplicationRestricted || token.Username() != "" {
		t.Errorf("read as %s, %s, user %q", token.Issuer, token.Mode(), token.Username())
	}
	if token.Hash != sha256.Sum256([]byte(minted)) {
		t.Error("the hash is not the token's")
	}
	if err := token.Verify(mustKeys(t, app.JWKS())); err != nil {
		t.Error(err)
	}
}

func TestAUsersTokenNamesTheUser(t *testing.T) {
	t.Parallel()
	token, err := bearer.Parse(app.Token(noon, as("ann"), claim("act", nil)), noon)
	if err != nil {
		t.Fatal(err)
	}
	if token.Mode() != application.UserRestricted || token.Username() != "ann" || token.Act != nil {
		t.Errorf("read as %s, user %q, act %v", token.Mode(), token.Username(), token.Act)
	}
}

func TestTimesAreJudgedToTheNanosecond(t *testing.T) {
	t.Parallel()
	number := func(s string) json.Number { return json.Number(s) }
	for _, test := range []struct {
		name     string
		iat, exp any
		now      time.Duration // after noon
		want     string        // a part of the refusal; "" to accept
	}{
		{name: "fresh", iat: 1800000000, exp: 1800000060},
		{name: "expired for exactly the skew", iat: 1800000000, exp: 1800000060, now: 120 * time.Second},
		{name: "expired for more", iat: 1800000000, exp: 1800000060, now: 120*time.Second + 1, want: "the token expired 60 s ago (at 08:01:00Z); is your clock slow?"},
		{name: "expired for a millisecond more", iat: 1800000000, exp: 1800000060, now: 120*time.Second + time.Millisecond, want: "the token expired 60 s ago (at 08:01:00Z); is your clock slow?"},
		{name: "from the future by exactly the skew", iat: 1800000060, exp: 1800000120},
		{name: "from further", iat: 1800000060, exp: 1800000120, now: -1, want: "the token was issued in the future: iat is 60 s ahead (at 08:01:00Z); is your clock fast?"},
		{name: "from a fraction further", iat: number("1800000060.001"), exp: 1800000120, want: "the token was issued in the future: iat is 60 s ahead (at 08:01:00Z); is your clock fast?"},
		{name: "60.5 s long", iat: 1800000000, exp: number("1800000060.5"), want: "exp must be at most 60 seconds after iat: it is over 60 s after iat"},
		{name: "61 s long", iat: 1800000000, exp: 1800000061, want: "exp must be at most 60 seconds after iat: it is 61 s after iat"},
		{name: "60 s long in fractions", iat: number("1800000000.25"), exp: number("1800000060.250")},
		{name: "longer by less than a float knows", iat: 1800000000, exp: number("1800000060.000000000000000001"), want: "at most 60 seconds"},
		{name: "exponents", iat: number("1.8e9"), exp: number("18000000600e-1")},
		{name: "an exponent and too long", iat: number("1.8E+9"), exp: number("1.80000006000001e9"), want: "it is over 60 s after iat"},
		{name: "exp before iat", iat: 1800000030, exp: 1799999990},
		{name: "exp before iat, and past", iat: 1800000030, exp: 1799999939, want: "expired"},
		{name: "milliseconds", iat: 1800000000000, exp: 1800000060000, want: "iat is 1800000000000, which looks like milliseconds: iat must be in seconds"},
		{name: "exp alone in milliseconds", iat: 1800000000, exp: 1800000060000, want: "exp is 1800000060000, which looks like milliseconds: exp must be in seconds"},
		{name: "microseconds", iat: 1800000000000000, exp: 1800000060000000, want: "iat is 1800000000000000, which looks like microseconds: iat must be in seconds"},
		{name: "an hour ago", iat: 1799996400, exp: 1799996460, want: "the token expired 3540 s ago (at 07:01:00Z); is your clock slow?"},
		{name: "a day long", iat: 1800000000, exp: 1800086400, want: "exp must be at most 60 seconds after iat: it is 24 hours after iat"},
		{name: "a small exponent", iat: number("1e3"), exp: number("1e3"), want: "the token expired 20833 days ago (at 1970-01-01T00:16:40Z)"},
		{name: "a large exponent", iat: 1800000000, exp: number("1e999999999"), want: "exp must be a number of seconds since 1970"},
		{name: "many digits", iat: 1800000000, exp: number(strings.Repeat("9", 400)), want: "exp must be a number"},
		{name: "a negative time", iat: -1, exp: 1800000000, want: "iat must be a number"},
		{name: "text", iat: "1800000000", exp: 1800000060, want: "iat must be a number"},
		{name: "a truth value", iat: 1800000000, exp: true, want: "exp must be a number"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			_, err := bearer.Parse(app.Token(noon, claim("iat", test.iat), claim("exp", test.exp)), noon.Add(test.now))
			if (test.want == "") != (err == nil) || err != nil && !strings.Contains(err.Error(), test.want) {
				t.Errorf("got %v, want %q", err, test.want)
			}
		})
	}
}

func TestNotBeforeIsHonoured(t *testing.T) {
	t.Parallel()
	token := app.Token(noon, claim("nbf", noon.Unix()+60))
	if _, err := bearer.Parse(token, noon); err != nil {
		t.Error(err)
	}
	_, err := bearer.Parse(token, noon.Add(-time.Millisecond))
	refused(t, err, "Invalid JWT: the token is not valid yet: nbf is 60 s ahead (at 08:01:00Z); is your clock fast?")
}

func TestATokenMayBeUsedAgain(t *testing.T) {
	t.Parallel()
	minted := app.Token(noon)
	for range 3 {
		if _, err := bearer.Parse(minted, noon); err != nil {
			t.Error(err)
		}
	}
}
