package application_test

import (
	"errors"
	"testing"

	"frontdesk/domain/access"
	"frontdesk/domain/application"
	"frontdesk/domain/event"
	"frontdesk/domain/event/eventtest"
)

type (
	app    = application.Application
	events = []event.Event
)

const jwks = "https://app.example/jwks.json"

var (
	registered = application.Registered{Name: "Referrals", JWKSURL: jwks}
	submit     = application.Grant{Endpoint: access.CreatePatientRequest, Mode: application.ApplicationRestricted}
	granted    = application.EndpointGranted{Grant: submit}
	revoked    = application.EndpointRevoked{Grant: submit}
	callback   = "https://app.example/done"
	added      = application.CallbackAdded{Callback: callback}
	removed    = application.CallbackRemoved{Callback: callback}
	marked     = application.PatientScopedMarked{}
)

func TestRegistrationIncludesSettings_5_6(t *testing.T) {
	t.Parallel()
	other := application.CallbackAdded{Callback: "https://app.example/other"}
	full := application.Registration{Name: " Referrals ", JWKSURL: jwks, Callbacks: []string{callback, other.Callback, other.Callback, callback}, PatientScoped: true}

	given := eventtest.Given[app]
	register := func(r application.Registration) func(app) (events, error) {
		return func(a app) (events, error) { return a.Register(r) }
	}
	given().When(register(full)).Then(t, registered, added, other, marked)
	given().When(register(application.Registration{JWKSURL: jwks})).Refuses(t, application.ErrNameless)
	given().When(register(application.Registration{Name: "x", Callbacks: []string{"javascript:alert(1)"}})).Refuses(t, application.ErrInvalidCallback)
	given(registered).When(register(full)).Refuses(t, application.ErrExists)
}

func TestEndpointsAreGrantedPerMode_5_6(t *testing.T) {
	t.Parallel()
	given := eventtest.Given[app]
	grant := func(g application.Grant) func(app) (events, error) {
		return func(a app) (events, error) { return a.GrantEndpoint(g) }
	}
	revoke := func(a app) (events, error) { return a.RevokeEndpoint(submit) }
	asUser := application.Grant{Endpoint: submit.Endpoint, Mode: application.UserRestricted}

	given(registered).When(grant(submit)).Then(t, granted)
	given(registered, granted).When(grant(submit)).Then(t)
	given(registered, granted).When(grant(asUser)).Then(t, application.EndpointGranted{Grant: asUser})
	given(registered, granted).When(revoke).Then(t, revoked)
	given(registered, granted, revoked).When(revoke).Then(t)
	given(registered, granted, revoked).When(grant(submit)).Then(t, granted)
	given().When(grant(submit)).Refuses(t, application.ErrUnknown)
}

func TestRegistrationChangesAndRemoves(t *testing.T) {
	t.Parallel()
	given := eventtest.Given[app]
	moved := application.JWKSURLSet{JWKSURL: "https://app.example/new.json"}
	move := func(a app) (events, error) { return a.SetJWKSURL(moved.JWKSURL) }
	add := func(a app) (events, error) { return a.AddCallback(callback) }
	remove := func(a app) (events, error) { return a.RemoveCallback(callback) }

	given(registered).When(move).Then(t, moved)
	given(registered, moved).When(move).Then(t)
	given().When(move).Refuses(t, application.ErrUnknown)
	given(registered).When(add).Then(t, added)
	given(registered, added).When(add).Then(t)
	given(registered, added).When(remove).Then(t, removed)
	given(registered, added, removed).When(remove).Then(t)
	given(registered).When(app.MarkPatientScoped).Then(t, marked)
	given(registered, marked).When(app.MarkPatientScoped).Then(t)
	given(registered, marked).When(app.UnmarkPatientScoped).Then(t, application.PatientScopedUnmarked{})
}

func TestApplyLeavesOlderStatesAlone(t *testing.T) {
	t.Parallel()
	before := event.Fold[app](registered, granted, application.EndpointGranted{Grant: application.Grant{Endpoint: "b"}})
	before.Apply(revoked)
	eventtest.Given[app](registered, granted).When(func(app) (events, error) { return before.GrantEndpoint(submit) }).Then(t)
}

func TestPatientScopeNeedsTheMark_5_5(t *testing.T) {
	t.Parallel()
	for want, history := range map[error]events{
		nil:                             {registered, marked},
		application.ErrNotPatientScoped: {registered, marked, application.PatientScopedUnmarked{}},
		application.ErrUnknown:          {},
	} {
		if got := event.Fold[app](history...).TakesPatientScope(); !errors.Is(got, want) {
			t.Errorf("after %v: %v, want %v", history, got, want)
		}
	}
}

func TestCallbacks_D25(t *testing.T) {
	t.Parallel()
	for callback, allowed := range map[string]bool{
		"https://app.example/done?a=b":    true,
		"https://app.example:8443/":       true,
		"http://127.0.0.1/cb":             true,
		"http://[::1]:4000/cb":            true,
		"http://localhost:1/cb":           true,
		"app:/cb":                         true,
		"app://cb":                        true,
		"com.example.app:/oauth":          true,
		"":                                false,
		"/cb":                             false,
		"//evil.example/cb":               false,
		"https:///cb":                     false,
		"https:app.example":               false,
		"http://app.example/cb":           false,
		"http://127.0.0.1.evil.example/":  false,
		"http://2130706433/":              false,
		"javascript:alert(1)":             false,
		"JavaScript:alert(1)":             false,
		"java\tscript:alert(1)":           false,
		" javascript:alert(1)":            false,
		"data:text/html,x":                false,
		"vbscript:x":                      false,
		"file:///etc/passwd":              false,
		"blob:https://app.example/1":      false,
		"about:blank":                     false,
		"filesystem:https://app.example/": false,
		"https://user@app.example/":       false,
		"https://user:pw@app.example/":    false,
		"https://app.example/#f":          false,
		"https://app.example/#":           false,
		"https://app.example\\@evil/":     false,
		"https://app.example/\r\nX: y":    false,
		"https://ápp.example/":            false,
	} {
		if got := application.CheckCallback(callback) == nil; got != allowed {
			t.Errorf("callback %q allowed = %t, want %t", callback, got, allowed)
		}
	}
}

func TestStoredEvents(t *testing.T) {
	t.Parallel()
	eventtest.Golden(t, registered, application.JWKSURLSet{JWKSURL: jwks}, added, removed,
		granted, revoked, marked, application.PatientScopedUnmarked{}, reread, tested)
}
