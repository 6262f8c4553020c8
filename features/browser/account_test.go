package browser_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
)

const better = "a heron on the lamp post"

// widths are a desktop, a phone, and a desktop at 400 per cent (WCAG 2.2, 1.4.10).
var widths = []int64{1280, 390, zoomed}

const zoomed = 320

// fits fails if a page is wider than any of the screens. It looks at two of them: at
// 400 per cent the layout is that of a phone.
func (b *tab) fits(name string) {
	b.t.Helper()
	for _, width := range widths {
		b.do(chromedp.EmulateViewport(width, 900))
		if got := js[int64](b, `document.documentElement.scrollWidth`); got > width {
			b.t.Errorf("%s is %d pixels wide on a screen of %d", name, got, width)
		}
		if width == zoomed {
			b.picture(fmt.Sprintf("%s-%d", name, width))
			continue
		}
		b.look(fmt.Sprintf("%s-%d", name, width))
	}
	b.do(chromedp.EmulateViewport(1280, 900))
}

// handed is the link that the page shows.
func (b *tab) handed() string {
	b.t.Helper()
	return js[string](b, `document.querySelector("#link").value`)
}

// A member of staff is invited, chooses a password, changes it, is reset and is
// deactivated while they are signed in.
func TestBrowserWalksStaffLifecycle_D67(t *testing.T) {
	t.Parallel()
	p, manager, kim := start(t), newTab(t), newTab(t)
	manager.open(p.page(elm, "people"))
	manager.signIn("dr.may", password)
	manager.open(p.page(elm, "people"))
	manager.fits("people")
	manager.open(p.page(elm, "people?invite"))
	manager.fits("invite")
	manager.press("Invite")
	manager.shows("Enter their full name")
	manager.fits("invite-wrong")
	manager.do(chromedp.SetValue("#name", "Kim Archer"), chromedp.SetValue("#username", "kim"), chromedp.SetValue("#email", "kim@elm.example"),
		chromedp.Click("#role-receptionist"))
	manager.press("Invite")
	manager.titled("Give this link to Kim Archer")
	manager.fits("handed")
	invitation := manager.handed()

	kim.open(invitation)
	if at := kim.at().Path; at != "/elm-street/staff/link" {
		t.Errorf("the secret stays in the address %s", at)
	}
	kim.fits("link")
	kim.press("Choose password")
	kim.shows("Enter a password")
	kim.fits("link-wrong")
	kim.do(chromedp.SetValue("#password", password))
	kim.press("Choose password")
	kim.shows("You have chosen your password")
	kim.fits("account")
	kim.open(p.page(elm, "people"))
	kim.shows("Only a manager can do this.")
	kim.fits("not-yours")
	kim.open(p.page(elm, "account/password"))
	kim.fits("password")
	kim.do(chromedp.SetValue("#present", "not the password"), chromedp.SetValue("#password", better))
	kim.press("Change password")
	kim.shows("Incorrect password")
	kim.fits("password-wrong")
	kim.do(chromedp.SetValue("#present", password), chromedp.SetValue("#password", better))
	kim.press("Change password")
	kim.shows("Your password has been changed.")

	stranger := newTab(t)
	stranger.open(invitation)
	stranger.shows("This link cannot be used")
	stranger.fits("link-used")

	manager.open(p.page(elm, "people"))
	manager.do(chromedp.Click(`//a[normalize-space(.) = "Kim Archer"]`), chromedp.WaitVisible("#facts"))
	manager.fits("person")
	p.Clock.Pass(time.Minute)
	manager.press("Deactivate")
	manager.shows("The account has been deactivated.")
	manager.fits("person-left")
	kim.open(p.page(elm, "account"))
	kim.titled("Sign in")
	kim.shows("your account at the practice has been deactivated")
	kim.fits("deactivated")
	for _, b := range []*tab{manager, kim, stranger} {
		b.quietBut("404", "403", "400", "409")
	}
}

// quietBut fails if the console has messages other than refusals of a page.
func (b *tab) quietBut(statuses ...string) {
	b.t.Helper()
	for {
		select {
		case message := <-b.messages:
			refused := false
			for _, status := range statuses {
				refused = refused || strings.Contains(message, "status of "+status)
			}
			if !refused {
				b.t.Errorf("the console says: %s", message)
			}
		default:
			return
		}
	}
}
