package integrate_test

import (
	"context"
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"frontdesk/adapters/bearer/bearertest"
	"frontdesk/adapters/clock"
	"frontdesk/cmd/frontdesk/cli"
	"frontdesk/cmd/frontdesk/cli/clitest"
	"frontdesk/domain/application"
)

// explained is the output of token explain --json.
type explained struct {
	Accepted, SignatureChecked                                    bool
	Code, Description, Reason, Cause, Mode, Application, Username string
	Claims                                                        map[string]any
}

func explain(t *testing.T, token string, flags ...string) (v explained, o clitest.Outcome) {
	t.Helper()
	o = clitest.FrontdeskWith(t, token, append([]string{"token", "explain", "-", "--json"}, flags...)...)
	if err := json.Unmarshal([]byte(o.Out), &v); err != nil {
		t.Fatalf("%q: %v: %s", o.Out, err, o.Err)
	}
	return v, o
}

func TestAKeyThatIsMadeSignsTokensThatHold(t *testing.T) {
	t.Parallel()
	key, jwks := clitest.Keygen(t)
	for flag, want := range map[string]explained{
		"":          {Mode: "application-restricted"},
		"--sub=ann": {Mode: "user-restricted", Username: "ann"},
	} {
		token := clitest.Mint(t, key, strings.Fields(flag)...)
		v, o := explain(t, token, "--jwks", jwks)
		if o.Status != 0 || !v.Accepted || !v.SignatureChecked || v.Mode != want.Mode || v.Username != want.Username || v.Application != clitest.SomeApplication {
			t.Errorf("%s: status %d, %+v", flag, o.Status, v)
		}
	}
}

func TestOnlyItsOwnerReadsAPrivateKey(t *testing.T) {
	t.Parallel()
	key, jwks := clitest.Keygen(t)
	if info, err := os.Stat(key); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
	published, err := os.ReadFile(jwks)
	if err != nil || strings.Contains(string(published), `"d"`) {
		t.Errorf("the key set is %s, %v", published, err)
	}
}

// Rotation: the new key is published beside the old one (§5.7).
func TestAKeySetGainsKeysAndLosesNone_5_7(t *testing.T) {
	t.Parallel()
	old, jwks := clitest.Keygen(t)
	next := filepath.Join(filepath.Dir(old), "next.pem")
	clitest.Frontdesk(t, "token", "keygen", "--key", old, "--jwks", jwks).WantFailure(t, 1, "not written over", "--key")
	if o := clitest.Frontdesk(t, "token", "keygen", "--key", next, "--jwks", jwks, "--kid=next"); o.Status != 0 {
		t.Fatal(o.Err)
	}
	clitest.Frontdesk(t, "token", "keygen", "--key", next+"2", "--jwks", jwks, "--kid=next").WantFailure(t, 1, "next", "choose another")
	for _, token := range []string{clitest.Mint(t, old), clitest.Mint(t, next, "--kid=next")} {
		if v, o := explain(t, token, "--jwks", jwks); !v.Accepted {
			t.Errorf("%+v: %s", v, o.Err)
		}
	}
}

func TestARefusalIsExplainedInTheServicesWords(t *testing.T) {
	t.Parallel()
	key, jwks := clitest.Keygen(t)
	_, strangers := clitest.Keygen(t)
	token := clitest.Mint(t, key)
	later := clock.System().Add(time.Hour).Format(time.RFC3339)
	empty := filepath.Join(t.TempDir(), "empty.json")
	if err := os.WriteFile(empty, []byte("{}"), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, test := range map[string]struct {
		token string
		flags []string
		want  string
	}{
		"junk":           {"junk", nil, "Invalid JWT: a signed token has three parts with a dot between them"},
		"expired":        {token, []string{"--now", later}, "Invalid JWT: the token expired"},
		"a header":       {"Basic " + token, nil, "Invalid Authorization format"},
		"another's keys": {token, []string{"--jwks", strangers}, "Invalid JWT: no key with this kid"},
		"no keys":        {token, []string{"--jwks", empty}, "Unable to obtain JWKS from " + empty + ": the response held no usable key"},
		"changed":        {token[:len(token)-8] + "AAAAAAAA", []string{"--jwks", jwks}, "Invalid JWT: the signature check failed"},
	} {
		v, o := explain(t, test.token, test.flags...)
		o.WantFailure(t, 1, test.want)
		if v.Accepted || v.Code != "unauthorized" || !strings.HasPrefix(v.Description, test.want) || v.Reason == "" {
			t.Errorf("%s: %+v", name, v)
		}
	}
}

func TestATokenIsExplainedToPeople(t *testing.T) {
	t.Parallel()
	key, jwks := clitest.Keygen(t)
	header := clitest.Mint(t, key, "--curl")
	o := clitest.Frontdesk(t, "token", "explain", "--jwks", jwks, header)
	for _, text := range []string{"would take", "for itself", `"iss":"` + clitest.SomeApplication, "Not judged here"} {
		if o.Status != 0 || !strings.Contains(o.Out, text) {
			t.Errorf("it does not say %q: %s%s", text, o.Out, o.Err)
		}
	}
	o = clitest.Frontdesk(t, "token", "explain", "--dir", t.TempDir(), header)
	if o.Status != 0 || !strings.Contains(o.Out, "give --jwks") {
		t.Errorf("without keys: %s%s", o.Out, o.Err)
	}
}

func TestKeysAreFetchedAsTheServiceDoes(t *testing.T) {
	t.Parallel()
	app := bearertest.NewApplication(applicationID(t))
	server := bearertest.NewServer(app.JWKS())
	t.Cleanup(server.Close)
	token := app.Token(clock.System())
	open := "--allow-network=127.0.0.0/8"
	if v, o := explain(t, token, "--jwks", server.URL, open); !v.Accepted {
		t.Errorf("%+v: %s", v, o.Err)
	}
	if v, _ := explain(t, token, "--jwks", server.URL); v.Accepted || !strings.HasSuffix(v.Description, "the URL did not respond") || v.Cause == "" {
		t.Errorf("a closed network: %+v", v)
	}
	server.Fail(http.StatusTeapot)
	if v, _ := explain(t, token, "--jwks", server.URL, open); v.Reason != "jwks-unreachable" || !strings.Contains(v.Cause, "418") {
		t.Errorf("%+v", v)
	}
}

func TestKeysArePublished(t *testing.T) {
	t.Parallel()
	_, jwks := clitest.Keygen(t)
	clitest.Frontdesk(t, "token", "publish", "--jwks", jwks, "--listen=0.0.0.0:0").WantFailure(t, 1, "127.0.0.1")

	ctx, stop := context.WithCancel(t.Context())
	said, done := make(clitest.Lines, 1), make(chan int, 1)
	go func() {
		done <- cli.Main(ctx, []string{"token", "publish", "--jwks", jwks, "--listen=127.0.0.1:0"}, cli.Streams{Err: said})
	}()
	url := strings.Fields(strings.TrimPrefix(<-said, "The JWKS URL is "))[0]
	response, err := http.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = response.Body.Close() }()
	var set struct{ Keys []map[string]any }
	if err := json.NewDecoder(response.Body).Decode(&set); err != nil || len(set.Keys) != 1 {
		t.Errorf("published %v, %v", set, err)
	}
	stop()
	if status := <-done; status != 0 {
		t.Errorf("exit status %d", status)
	}
}

func applicationID(t *testing.T) (id application.ID) {
	t.Helper()
	if err := id.UnmarshalText([]byte(clitest.SomeApplication)); err != nil {
		t.Fatal(err)
	}
	return id
}
