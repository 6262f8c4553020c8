package browser_test

import (
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/webauthn"
	"github.com/chromedp/chromedp"

	"frontdesk/cmd/frontdesk/testworld"
)

// named is an address of the pages by a name, which passkeys can belong to.
func named(address string) string { return strings.Replace(address, "127.0.0.1", "localhost", 1) }

// authenticator gives the browser a virtual one that always agrees.
func (b *tab) authenticator() webauthn.AuthenticatorID {
	b.t.Helper()
	_, err := chromedp.Call(b.ctx, webauthn.Enable, webauthn.EnableParams{})
	testworld.Must(b.t, err)
	added, err := chromedp.Call(b.ctx, webauthn.AddVirtualAuthenticator, webauthn.AddVirtualAuthenticatorParams{Options: &webauthn.VirtualAuthenticatorOptions{
		Protocol: webauthn.AuthenticatorProtocolCtap2, Transport: webauthn.AuthenticatorTransportInternal, HasResidentKey: true,
		HasUserVerification: true, IsUserVerified: true, AutomaticPresenceSimulation: true,
	}})
	testworld.Must(b.t, err)
	return added.AuthenticatorID
}

// narrowly looks at the page at the width of a phone, and goes back.
func (b *tab) narrowly(name string) {
	b.t.Helper()
	b.look(name)
	b.do(chromedp.EmulateViewport(390, 844, chromedp.EmulateMobile))
	if width := js[int](b, `document.documentElement.scrollWidth`); width > 390 {
		b.t.Errorf("%s is %d pixels wide", name, width)
	}
	b.picture(name + "-390")
	b.do(chromedp.EmulateViewport(1280, 800))
}

// addPasskey adds one, and leaves the browser on the page of passkeys.
func (b *tab) addPasskey(p *program, name string) {
	b.t.Helper()
	b.open(named(p.page(elm, "account/passkeys")))
	b.do(chromedp.SetValue("#name", name))
	b.press("Add a passkey")
}

func TestBrowserSignsInWithAPasskey_D66(t *testing.T) {
	t.Parallel()
	p, b := start(t), newTab(t)
	b.authenticator()
	b.open(named(p.page(elm, "sign-in")))
	b.narrowly("passkey-sign-in")
	b.signIn("dr.lee", password)
	b.open(named(p.page(elm, "account/passkeys")))
	b.shows("You have no passkey yet.")
	b.narrowly("passkeys-none")
	b.addPasskey(p, "My phone")
	b.shows("The passkey has been added.")
	b.shows("Added on 1 July 2026. Not used yet.")
	b.narrowly("passkeys-one")

	b.press("Sign out")
	b.signIn("dr.lee", password) // which is no longer enough
	b.titled("Use your passkey")
	b.narrowly("passkey-second")
	b.open(named(p.page(elm, "authorisations")))
	b.titled("Sign in")
	b.open(named(p.page(elm, "sign-in/second")))
	b.press("Use your passkey")
	b.titled("Requests")

	b.press("Sign out")
	b.press("Use a passkey") // only the passkey
	b.titled("Requests")
	b.open(named(p.page(elm, "account/passkeys")))
	b.shows("Last used on 1 July 2026.")
	b.press("Remove")
	b.shows("You sign in with your password alone again.")
	b.press("Sign out")
	b.quiet()
	b.press("Use a passkey")
	b.titled("Error: Sign in")
	b.shows("This passkey was not accepted.")
	b.narrowly("passkey-refused")
	b.signIn("dr.lee", password)
	b.titled("Requests")
}

func TestBrowserConfirmsBeforeAnApproval_D66(t *testing.T) {
	t.Parallel()
	p, b := start(t), newTab(t)
	b.authenticator()
	b.open(named(p.ask(elm, p.callback+"?state=x%2Fy")))
	b.signIn("dr.lee", password)
	b.titled("Let Triage Helper act for you?")
	p.Clock.Pass(16 * time.Minute)
	b.press("Approve")
	b.titled("Confirm that it is you")
	b.narrowly("confirm-password")
	p.mayNotCall(elm)
	b.do(chromedp.SetValue("#password", "not the password"))
	b.press("Confirm")
	b.hears("400")
	b.shows("Incorrect password")
	b.narrowly("confirm-password-wrong")
	b.do(chromedp.SetValue("#password", password))
	b.press("Confirm")
	b.titled("Let Triage Helper act for you?")
	b.press("Approve")
	if got, want := b.at().String(), p.callback+"?state=x%2Fy&username=dr.lee&expiresAt="; !strings.HasPrefix(got, want) {
		t.Errorf("came back to %s, want %s", got, want)
	}
	p.mayCall(elm)

	b.addPasskey(p, "My phone")
	p.Clock.Pass(16 * time.Minute)
	b.open(named(p.page(elm, "account/passkeys")))
	b.shows("To add or remove passkeys, confirm that it is you.")
	b.narrowly("passkeys-unconfirmed")
	b.open(named(p.ask(elm, p.callback)))
	b.press("Approve")
	b.titled("Confirm that it is you")
	b.narrowly("confirm-passkey")
	b.press("Use your passkey")
	b.titled("Let Triage Helper act for you?")
	p.Clock.Pass(16 * time.Minute)
	b.press("Decline") // asks for nothing
	if got, want := b.at().String(), p.callback+"?error=access_denied"; got != want {
		t.Errorf("came back to %s, want %s", got, want)
	}
	b.quiet()
}

// The only manager sees from day 1 on which day a passkey will be needed. From day 15, every page
// leads to adding one. Then everything works.
func TestBrowserAddsNeededPasskey_D152(t *testing.T) {
	t.Parallel()
	p, b := start(t), newTab(t)
	b.authenticator()
	b.open(named(p.page(elm, "sign-in")))
	b.signIn("dr.may", password)
	b.shows("From 15 July 2026, you cannot work on these pages without one.")
	b.narrowly("passkey-needed")
	b.open(named(p.page(elm, "people/passkeys")))
	b.shows("You have no passkey, so you can add roles to this list but remove none.")
	b.narrowly("passkey-rule")

	p.Clock.Pass(14 * 24 * time.Hour)
	b.open(named(p.page(elm, "sign-in")))
	b.signIn("dr.may", password)
	b.titled("Add a passkey")
	for _, page := range []string{"people", "opening", "account", "people/passkeys"} {
		b.open(named(p.page(elm, page)))
		b.titled("Add a passkey")
	}
	b.narrowly("passkey-needed-now")
	b.do(chromedp.SetValue("#name", "My laptop"))
	b.press("Add a passkey")
	b.shows("The passkey has been added.")
	b.shows("Your role needs a passkey. To remove this one, add another first.")
	b.open(named(p.page(elm, "people/passkeys")))
	b.do(chromedp.Click("#role-privacy-officer"))
	b.press("Save")
	b.shows("The roles have been set.")
	b.narrowly("passkey-rule-set")
	b.quiet()
}
