package client_test

import (
	"errors"
	"testing"
	"time"

	"frontdesk.example/client"
)

var authorisePage = client.AuthorisePage{
	AuthURL: "https://staff.example", TenantID: "elm-street", Application: app, Callback: "https://app.example/back?from=a%2Fb",
}

func TestAuthoriseURLHasState_D159(t *testing.T) {
	t.Parallel()
	got, err := authorisePage.AuthoriseURL("a b&c")
	const want = "https://staff.example/elm-street/staff/authorise?app=" + app + "&redirect=https%3A%2F%2Fapp.example%2Fback%3Ffrom%3Da%252Fb%26state%3Da%2Bb%2526c"
	if err != nil || got != want {
		t.Errorf("%s, %v", got, err)
	}
	custom := authorisePage
	custom.AuthURL, custom.Callback = "http://localhost:8080/", "myapp:/back"
	if got, err := custom.AuthoriseURL("s"); err != nil || got != "http://localhost:8080/elm-street/staff/authorise?app="+app+"&redirect=myapp%3A%2Fback%3Fstate%3Ds" {
		t.Errorf("%s, %v", got, err)
	}
	for name, wrong := range map[string]func(*client.AuthorisePage){
		"no tenant":       func(p *client.AuthorisePage) { p.TenantID = "" },
		"no application":  func(p *client.AuthorisePage) { p.Application = "" },
		"in clear":        func(p *client.AuthorisePage) { p.AuthURL = "http://staff.example" },
		"no callback":     func(p *client.AuthorisePage) { p.Callback = "" },
		"two states":      func(p *client.AuthorisePage) { p.Callback = "https://app.example/?state=1" },
		"no address":      func(p *client.AuthorisePage) { p.AuthURL = "staff.example" },
		"half a callback": func(p *client.AuthorisePage) { p.Callback = "/back" },
	} {
		page := authorisePage
		wrong(&page)
		if got, err := page.AuthoriseURL("s"); err == nil {
			t.Errorf("%s: %s", name, got)
		}
	}
	if got, err := authorisePage.AuthoriseURL(""); err == nil {
		t.Errorf("without a state: %s", got)
	}
	if one, two := client.NewState(), client.NewState(); one == two || len(one) < 20 {
		t.Errorf("states are %s and %s", one, two)
	}
}

func TestReturnNeedsItsState_D159(t *testing.T) {
	t.Parallel()
	const rest = "&username=sam.taylor&expiresAt=2026-07-02T00%3A00%3A00Z"
	for _, address := range []string{"https://app.example/back?from=a&state=42" + rest, "/back?state=42" + rest} {
		got, err := authorisePage.ParseReturn(address, "42")
		if err != nil || got != (client.Authorised{Username: "sam.taylor", ExpiresAt: time.Date(2026, 7, 2, 0, 0, 0, 0, time.UTC)}) {
			t.Errorf("%+v, %v", got, err)
		}
	}
	for _, c := range []struct {
		query, state string
		want         error
	}{
		{"?state=43" + rest, "42", client.ErrWrongState},
		{"?state=" + rest, "", client.ErrWrongState},
		{"?" + rest, "42", client.ErrWrongState},
		{"?state=42&state=42" + rest, "42", client.ErrWrongState},
		{"?state=43&error=access_denied", "42", client.ErrWrongState},
		{"?state=42&error=access_denied", "42", client.ErrDeclined},
		{"?state=42", "42", client.ErrMalformedReturn},
		{"?state=42&username=&expiresAt=2026-07-02T00%3A00%3A00Z", "42", client.ErrMalformedReturn},
		{"?state=42&username=a" + rest, "42", client.ErrMalformedReturn},
		{"?state=42&username=a&expiresAt=tomorrow", "42", client.ErrMalformedReturn},
		{"?state=%zz" + rest, "42", client.ErrMalformedReturn},
	} {
		if got, err := authorisePage.ParseReturn("/back"+c.query, c.state); !errors.Is(err, c.want) || got != (client.Authorised{}) {
			t.Errorf("%s: %+v, %v", c.query, got, err)
		}
	}
}
