//go:build prove

package browser_test

import (
	"testing"

	"github.com/chromedp/chromedp"

	"frontdesk/adapters/provetest"
)

func TestProvePasskeysWithoutScript_D66(t *testing.T) {
	t.Parallel()
	p, b := start(t), newTab(t)
	b.authenticator()
	b.open(named(p.page(elm, "sign-in")))
	b.signIn("dr.lee", password)
	b.addPasskey(p, "My phone")
	b.press("Sign out")
	b.withoutScript()
	b.open(named(p.page(elm, "sign-in")))
	b.signIn("dr.lee", password)
	b.shows("Passkeys need JavaScript, which is turned off in this browser.")
	b.picture("passkey-second-no-script")
	provetest.Tried(t, b.pages, "pages")
}

// All pages work without script, except those for passkeys.
func TestProvePeopleWithoutScript_D67(t *testing.T) {
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
	manager.shows("Unused link expires 1:00pm on Saturday 4 July")
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
	provetest.Tried(t, manager.pages+kim.pages, "pages")
}
