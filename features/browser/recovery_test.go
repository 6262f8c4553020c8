package browser_test

import (
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/webauthn"
	"github.com/chromedp/chromedp"

	"frontdesk/cmd/frontdesk/testworld"
)

// withoutScript turns the page's scripts off.
func (b *tab) withoutScript() {
	b.t.Helper()
	_, err := chromedp.Call(b.ctx, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: true})
	testworld.Must(b.t, err)
}

// about opens the page of a member of staff, from a manager's list.
func (b *tab) about(p *program, name string) {
	b.t.Helper()
	b.open(named(p.page(elm, "people")))
	b.do(chromedp.SetValue("#find", name))
	b.press("Find")
	b.shows("1 person found.")
	b.loading(chromedp.Click(`//a[normalize-space(.) = "` + name + `"]`))
}

// A member who has lost their only passkey is reset by a manager: a day after the request,
// because no second one helps. The manager confirms their own identity again, and the member signs
// in with a new password.
func TestBrowserRecoversLostPasskey_D66(t *testing.T) {
	t.Parallel()
	p, manager, lee := start(t), newTab(t), newTab(t)
	phone := lee.authenticator()
	lee.open(named(p.page(elm, "sign-in")))
	lee.signIn("dr.lee", password)
	lee.addPasskey(p, "My phone")
	lee.press("Sign out")
	_, err := chromedp.Call(lee.ctx, webauthn.RemoveVirtualAuthenticator, webauthn.RemoveVirtualAuthenticatorParams{AuthenticatorID: phone})
	testworld.Must(t, err)
	lee.authenticator()
	lee.signIn("dr.lee", password)
	lee.do(chromedp.Click(button("Use your passkey")), chromedp.WaitVisible(`//p[@role="alert" and normalize-space(.) != ""]`))
	lee.shows("No passkey was used. Try again.")
	lee.shows("If you have lost your passkey, ask your manager to reset how you sign in.")
	lee.narrowly("passkey-lost")

	manager.open(named(p.page(elm, "sign-in")))
	manager.signIn("dr.may", password)
	manager.about(p, "Dr Lee")
	manager.narrowly("person-passkey")
	manager.press("Request it")
	manager.shows("Withdraw the request")
	manager.narrowly("person-reset-requested")
	p.Clock.Pass(24 * time.Hour)
	manager.open(named(p.page(elm, "sign-in")))
	manager.signIn("dr.may", password)
	manager.about(p, "Dr Lee")
	p.Clock.Pass(16 * time.Minute)
	manager.press("Reset")
	manager.titled("Confirm that it is you")
	manager.shows("Nothing has changed yet.")
	manager.do(chromedp.SetValue("#password", password))
	manager.press("Confirm")
	manager.titled("Dr Lee")
	manager.press("Reset")
	manager.titled("Give this link to Dr Lee")

	lee.open(manager.handed())
	lee.do(chromedp.SetValue("#password", better))
	lee.press("Choose password")
	lee.shows("You have chosen your password")
	lee.shows("Your password and your passkeys were reset")
	lee.narrowly("account-history")
	lee.press("Sign out")
	lee.signIn("dr.lee", password)
	lee.shows("Incorrect username or password")
	lee.signIn("dr.lee", better)
	lee.titled("Requests")
}
