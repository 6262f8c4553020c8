package browser_test

import (
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/webauthn"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"frontdesk/cmd/frontdesk/testworld"
)

// withoutScript turns the page's scripts off.
func (b *tab) withoutScript() {
	b.t.Helper()
	_, err := chromedp.Call(b.ctx, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: true})
	testworld.Must(b.t, err)
}

// about opens the page of a member of staff, as a manager finds it.
func (b *tab) about(p *program, name string) {
	b.t.Helper()
	b.open(named(p.page(elm, "people")))
	b.do(chromedp.SetValue("#find", name))
	b.press("Find")
	b.shows("1 person found.")
	b.loading(chromedp.Click(`//a[normalize-space(.) = "` + name + `"]`))
}

// Whoever has lost their only passkey is reset by a manager, who is asked again who is
// there, and signs in with a new password.
func TestBrowserGetsInAgainAfterLosingAPasskey_D66(t *testing.T) {
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
	p.Clock.Pass(16 * time.Minute)
	manager.press("Reset")
	manager.titled("Confirm that it is you")
	manager.shows("Nothing has been changed yet.")
	manager.do(chromedp.SetValue("#password", password))
	manager.press("Confirm")
	manager.titled("Dr Lee")
	manager.press("Reset")
	manager.titled("Give this link to Dr Lee")

	lee.open(manager.handed())
	lee.do(chromedp.SetValue("#password", better))
	lee.press("Choose password")
	lee.shows("You have chosen your password")
	lee.press("Sign out")
	lee.signIn("dr.lee", password)
	lee.shows("The username or password is not right.")
	lee.signIn("dr.lee", better)
	lee.titled("Requests")
}

// What needs no passkey needs no script.
func TestBrowserManagesPeopleWithoutScript_D67(t *testing.T) {
	t.Parallel()
	p, manager, kim := start(t), newTab(t), newTab(t)
	manager.withoutScript()
	kim.withoutScript()
	manager.open(named(p.page(elm, "people")))
	manager.signIn("dr.may", password)
	manager.open(named(p.page(elm, "people?invite")))
	manager.do(chromedp.SetValue("#name", "Kim Archer"), chromedp.SetValue("#username", "kim"), chromedp.SetValue("#email", "kim@elm.example"))
	manager.press("Invite")
	link := ask(manager, chromedp.Value("#link"))
	manager.about(p, "Kim Archer")
	manager.shows("Has not used their link, which can be used until 1:00pm on Saturday 4 July")
	manager.picture("person-invited")

	kim.open(link)
	kim.do(chromedp.SetValue("#password", password))
	kim.press("Choose password")
	kim.shows("You have chosen your password")
	kim.open(named(p.page(elm, "account/password")))
	kim.do(chromedp.SetValue("#present", password), chromedp.SetValue("#password", better))
	kim.press("Change password")
	kim.shows("Your password has been changed.")
	kim.open(named(p.page(elm, "account/passkeys")))
	kim.shows("Passkeys need JavaScript, which is turned off in this browser.")
	kim.picture("passkeys-no-script")

	manager.about(p, "Kim Archer")
	manager.press("Deactivate")
	manager.shows("The account has been deactivated.")
	kim.open(named(p.page(elm, "account")))
	kim.shows("your account at the practice has been deactivated")
}

func TestBrowserInvitesByKeyboard_D67(t *testing.T) {
	t.Parallel()
	p, b := start(t), newTab(t)
	b.open(named(p.page(elm, "sign-in")))
	b.signIn("dr.may", password)
	b.open(named(p.page(elm, "people?invite")))
	b.do(chromedp.KeyEvent(kb.Tab + kb.Enter + kb.Tab)) // skip the header
	b.focuses("Back to People")
	b.do(chromedp.KeyEvent(kb.Tab + "Kim Archer" + kb.Tab + "kim" + kb.Tab + "kim@elm.example" + kb.Tab + " " + kb.Tab + kb.Tab + kb.Tab + kb.Tab))
	b.focuses("Invite")
	b.loading(chromedp.KeyEvent(kb.Enter))
	b.titled("Give this link to Kim Archer")
	b.about(p, "Kim Archer")
	b.shows("receptionist")
}
