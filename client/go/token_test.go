package client_test

import (
	"errors"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"frontdesk.example/client"
)

const pong = `{"tenantId":"elm-street","mode":"application-restricted"}`

func TestTokenIsCachedUntilExpiry_D99(t *testing.T) {
	t.Parallel()
	now := time.Date(2027, 1, 15, 8, 0, 0, 0, time.UTC)
	c, service := with(t, func(o *client.Options) { o.Now = func() time.Time { return now } }, says(200, pong))
	var tokens []string
	for range 8 { // one each 10 seconds
		if _, err := c.Ping(t.Context()); err != nil {
			t.Fatal(err)
		}
		call := service.sent[len(service.sent)-1]
		tokens = append(tokens, call.Header.Get("Authorization"))
		_, claims := call.claims(t)
		iat, exp, at := claims["iat"].(float64), claims["exp"].(float64), float64(now.Unix())
		if exp-iat != 60 || exp-at < 20 || at-iat < 10 {
			t.Errorf("at %v a token from %v to %v is used", at, iat, exp)
		}
		now = now.Add(10 * time.Second)
	}
	if tokens[0] != tokens[2] || tokens[2] == tokens[3] || tokens[3] != tokens[5] || tokens[5] == tokens[6] {
		t.Errorf("tokens are not kept for 30 seconds each: %q", tokens)
	}
}

func TestClockSetBackMintsFreshToken_D99(t *testing.T) {
	t.Parallel()
	now := time.Date(2027, 1, 15, 8, 0, 0, 0, time.UTC)
	c, service := with(t, func(o *client.Options) { o.Now = func() time.Time { return now } }, says(200, pong))
	for range 2 {
		if _, err := c.Ping(t.Context()); err != nil {
			t.Fatal(err)
		}
		now = now.Add(-time.Hour)
	}
	if _, claims := service.sent[1].claims(t); claims["iat"].(float64) > float64(now.Add(time.Hour).Unix()) {
		t.Error("the token is of the hour before")
	}
}

func TestTokenNamesUser_D99(t *testing.T) {
	t.Parallel()
	c, service := calling(t, says(200, pong))
	act := client.Act{
		Practitioner: client.Practitioner{Name: "Dr Ann Lee", Email: "ann@example.org", GMCNumber: "1234567"},
		Organisation: client.Organisation{Name: "High Street"}, Role: "General practitioner",
	}
	for _, caller := range []*client.Client{c, c.AsUser("ann.lee"), c.WithAct(act), c.AsUser("ann.lee").WithAct(act), c.WithAct(act).AsUser("bob")} {
		if _, err := caller.Ping(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	for i, want := range []struct {
		sub string
		azp any
		act bool
	}{{app, nil, false}, {"ann.lee", app, false}, {app, nil, true}, {app, nil, true}, {"bob", app, false}} {
		header, claims := service.sent[i].claims(t)
		if header["alg"] != "RS256" || header["typ"] != "JWT" || header["kid"] != "one" {
			t.Errorf("header %v", header)
		}
		acting, _ := claims["act"].(map[string]any)
		if claims["iss"] != app || claims["sub"] != want.sub || claims["azp"] != want.azp || (acting != nil) != want.act {
			t.Errorf("call %d claims %v", i, claims)
		}
		if want.act && (acting["role"] != "General practitioner" || acting["practitioner"].(map[string]any)["gmc_number"] != "1234567") {
			t.Errorf("call %d acts for %v", i, acting)
		}
	}
}

func TestRotatedKeySignsBothPublished_D99(t *testing.T) {
	t.Parallel()
	keys := signer(t)
	c, service := with(t, func(o *client.Options) { o.Signer = keys }, says(200, pong))
	kid := func() any {
		if _, err := c.Ping(t.Context()); err != nil {
			t.Fatal(err)
		}
		header, _ := service.sent[len(service.sent)-1].claims(t)
		return header["kid"]
	}
	if err := keys.Add(client.Key{KID: "two", Private: otherKey()}); err != nil || kid() != "one" {
		t.Errorf("a key signs before it is used: %v", err)
	}
	contains(t, string(keys.KeySet()), `"kid":"one"`, `"kid":"two"`, `"use":"sig"`)
	if err := keys.Use("two"); err != nil || kid() != "two" {
		t.Errorf("the key in use does not sign: %v", err)
	}
	if keys.Remove("two") == nil || keys.Use("three") == nil || keys.Add(client.Key{KID: "two", Private: aKey()}) == nil {
		t.Error("it removes the key that signs, uses one that it has not, or has two of a kid")
	}
	if err := keys.Remove("one"); err != nil || strings.Contains(string(keys.KeySet()), `"one"`) || strings.Contains(string(keys.KeySet()), `"d"`) {
		t.Errorf("it publishes %s, %v", keys.KeySet(), err)
	}
}

// A missing username must not give a user's call the application's rights.
func TestAsUserRefusesMissingUsername_D99(t *testing.T) {
	t.Parallel()
	c, service := calling(t, says(200, pong))
	for _, username := range []string{"", app} {
		if _, err := c.AsUser(username).Ping(t.Context()); err == nil || len(service.sent) != 0 {
			t.Errorf("for %q: %v, and %d calls are sent", username, err, len(service.sent))
		}
	}
}

// A token for other uses is valid for 60 seconds from its instant.
func TestSignerMintsOneToken(t *testing.T) {
	t.Parallel()
	keys := signer(t)
	for username, want := range map[string]struct{ sub, azp any }{"": {app, nil}, "ann.lee": {"ann.lee", app}} {
		token, err := keys.Token(app, username, noon)
		if err != nil {
			t.Fatal(err)
		}
		header, claims := sent{Request: &http.Request{Header: http.Header{"Authorization": {"Bearer " + token}}}}.claims(t)
		if header["kid"] != keys.KID() || claims["iss"] != app || claims["sub"] != want.sub || claims["azp"] != want.azp ||
			claims["iat"] != float64(noon.Unix()) || claims["exp"] != float64(noon.Unix()+60) || claims["act"] != nil {
			t.Errorf("for %q: %v %v", username, header, claims)
		}
	}
}

func TestGeneratedKeyIsReadBack(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "key.pem")
	if err := client.GenerateKey(file); err != nil {
		t.Fatal(err)
	}
	if err := client.GenerateKey(file); !errors.Is(err, fs.ErrExist) {
		t.Errorf("it is written over: %v", err)
	}
	info, err := os.Stat(file)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
	named, err := client.ReadKey("mine", file)
	if err != nil || named.KID != "mine" {
		t.Errorf("%q, %v", named.KID, err)
	}
	unnamed, err := client.ReadKey("", file)
	if err != nil || len(unnamed.KID) != 43 {
		t.Errorf("%q, %v", unnamed.KID, err)
	}
	if err := os.WriteFile(file, []byte("no key"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := client.ReadKey("", file); err == nil {
		t.Error("a text is a key")
	}
}
