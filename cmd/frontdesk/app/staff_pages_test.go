package app_test

import (
	"context"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"frontdesk/adapters/postgres/postgrestest"
	"frontdesk/adapters/sealing"
	"frontdesk/adapters/staffweb/signin/signintest"
	"frontdesk/cmd/frontdesk/app"
	"frontdesk/commands"
)

func staffPagesAt(t *testing.T, authURL string) (*app.App, error) {
	t.Helper()
	service, err := app.New(t.Context(), app.Config{
		DatabaseURL: postgrestest.New(t).URL, Listen: "127.0.0.1:0", APIDomain: "frontdesk.test", AuthURL: authURL, MasterKeys: sealing.NewRing(sealing.MasterKey{1}), PasswordCost: signintest.Cheap,
	})
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancel(context.WithoutCancel(t.Context()))
	done := make(chan struct{})
	go func() { defer close(done); _ = service.Run(ctx) }()
	t.Cleanup(func() { cancel(); <-done })
	return service, nil
}

// One listener serves the pages on their host and the API on the practices'
// (D36); behind TLS the session's cookie is bound to that host (D27).
func TestTheStaffPagesHaveAHostOfTheirOwn_D36(t *testing.T) {
	t.Parallel()
	service, err := staffPagesAt(t, "https://auth.frontdesk.test")
	if err != nil {
		t.Fatal(err)
	}
	ctx := t.Context()
	if err := service.Desk.RegisterPractice(ctx, commands.RegisterPractice{Tenant: "elm-street", Name: "Elm Street Surgery"}); err != nil {
		t.Fatal(err)
	}
	if _, err := service.Desk.RegisterStaff(ctx, commands.RegisterStaff{
		Tenant: "elm-street", Username: "dr.lee", Name: "Dr Lee", Email: "lee@elm.example", Password: "coffee tin fish",
	}); err != nil {
		t.Fatal(err)
	}
	for host, want := range map[string]string{
		"auth.frontdesk.test":       "<h1>Sign in</h1>",
		"elm-street.frontdesk.test": `"not-found"`,
		"127.0.0.1":                 `"not-found"`,
	} {
		answer, body := send(t, service, http.MethodGet, host, nil)
		if !strings.Contains(body, want) {
			t.Errorf("%s: got %s, want %s", host, body, want)
		}
		if got := answer.Header.Get("Strict-Transport-Security"); got != "max-age=31536000" {
			t.Errorf("%s: Strict-Transport-Security is %q", host, got)
		}
	}
	answer, _ := send(t, service, http.MethodPost, "auth.frontdesk.test", url.Values{"username": {"dr.lee"}, "password": {"coffee tin fish"}})
	if cookie := answer.Header.Get("Set-Cookie"); !strings.HasPrefix(cookie, "__Host-frontdesk-elm-street=") || !strings.Contains(cookie, "; Secure") {
		t.Errorf("%s, cookie %q", answer.Status, cookie)
	}
}

func send(t *testing.T, service *app.App, method, host string, form url.Values) (*http.Response, string) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), method, service.URL()+"/elm-street/staff/sign-in", strings.NewReader(form.Encode()))
	if err != nil {
		t.Fatal(err)
	}
	request.Host = host
	request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	answer, err := http.DefaultTransport.RoundTrip(request)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	return answer, string(body)
}

func TestUnreachableAddressIsRefused(t *testing.T) {
	t.Parallel()
	for _, bad := range []string{"auth.frontdesk.test", "https://auth.frontdesk.test/pages", "ftp://auth.frontdesk.test"} {
		if _, err := staffPagesAt(t, bad); err == nil || !strings.Contains(err.Error(), "staff pages") {
			t.Errorf("%s: %v", bad, err)
		}
	}
}
