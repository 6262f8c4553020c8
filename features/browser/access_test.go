package browser_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"frontdesk/cmd/frontdesk/testworld"
)

// leaving presses a button whose answer opens an application on the device, and returns
// its target. It is the last action of a tab: Chromium asks whether to open the
// application, some time later, and from then on it drops every click.
func (b *tab) leaving(name string) string {
	b.t.Helper()
	left := make(chan string, 1)
	ctx, stop := context.WithCancel(b.ctx)
	defer stop()
	err := chromedp.Listen(ctx, func(e any) {
		if sent, ok := e.(*network.EventRequestWillBeSent); ok && !strings.HasPrefix(sent.Request.URL, "http") {
			select {
			case left <- sent.Request.URL:
			default:
			}
		}
	})
	testworld.Must(b.t, err)
	b.do(chromedp.Click(button(name)))
	select {
	case address := <-left:
		return address
	case <-b.ctx.Done():
		b.t.Fatal("the browser was sent nowhere")
		return ""
	}
}

// A phone in portrait, at the width of WCAG 2.2 (1.4.10).
func TestBrowserIsNarrow(t *testing.T) {
	t.Parallel()
	p, b := start(t), newTab(t)
	b.do(chromedp.EmulateViewport(320, 640, chromedp.EmulateMobile, chromedp.EmulateTouch))
	fits := func(name string) {
		t.Helper()
		if width := js[int](b, `document.documentElement.scrollWidth`); width > 320 {
			t.Errorf("%s is %d pixels wide", name, width)
		}
		small := js[[]string](b, `[...document.querySelectorAll("button, input:not([type=hidden])")]
			.filter(e => e.checkVisibility() && e.getBoundingClientRect().height < 40).map(e => e.outerHTML)`)
		if len(small) > 0 {
			t.Errorf("%s has targets that a thumb misses: %s", name, small)
		}
		b.look("narrow-" + name)
	}
	b.open(p.ask(elm, p.callback+"?state="+strings.Repeat("x", 300)))
	fits("sign-in")
	b.signIn("dr.lee", "not the password")
	fits("sign-in-wrong")
	b.signIn("dr.lee", password)
	fits("authorise")
	b.press("Approve")
	b.open(p.page(elm, "authorisations"))
	fits("authorisations")
	b.open(p.ask(elm, "https://evil.example/"))
	fits("error")
}

func TestBrowserIsDrivenByKeyboard(t *testing.T) {
	t.Parallel()
	p, b := start(t), newTab(t)
	b.open(p.ask(elm, p.callback))
	b.do(chromedp.KeyEvent(kb.Tab))
	b.focuses("Skip to main content")
	b.picture("keyboard-skip")
	b.do(chromedp.KeyEvent(kb.Enter + kb.Tab + "dr.lee" + kb.Tab + password))
	b.loading(chromedp.KeyEvent(kb.Enter))
	b.titled("Let Triage Helper act for you?")
	b.do(chromedp.KeyEvent(kb.Tab + kb.Enter)) // skip the header
	for _, name := range []string{"Apps that can act for you", "Approve", "Decline"} {
		b.do(chromedp.KeyEvent(kb.Tab))
		b.focuses(name)
		b.picture("keyboard-" + strings.ReplaceAll(name, " ", "-"))
	}
	b.do(chromedp.KeyEvent(kb.Tab, chromedp.KeyModifiers(kb.ModifierShift))) // shift: back to Approve
	b.loading(chromedp.KeyEvent(kb.Enter))
	p.mayCall(elm)
}

// focuses fails unless the focused element has that name, and shows its focus.
func (b *tab) focuses(name string) {
	b.t.Helper()
	focused := js[struct {
		Name string
		Seen bool
	}](b, `(() => {
		const e = document.activeElement, s = getComputedStyle(e);
		return {Name: e.innerText, Seen: s.backgroundColor == "rgb(255, 235, 59)" || e.className == "skip" && e.getBoundingClientRect().top >= 0};
	})()`)
	if focused.Name != name || !focused.Seen {
		b.t.Errorf("focus is on %q (to be seen: %t), want %q", focused.Name, focused.Seen, name)
	}
}

func TestBrowserNeedsNoJavaScript(t *testing.T) {
	t.Parallel()
	p, b := start(t), newTab(t)
	b.withoutScript()
	b.open(p.ask(elm, p.callback))
	b.signIn("dr.lee", "not the password")
	b.shows("Incorrect username or password")
	b.signIn("dr.lee", password)
	b.press("Approve")
	p.mayCall(elm)
	b.open(p.page(elm, "authorisations"))
	b.press("Stop Triage Helper")
	p.mayNotCall(elm)
	b.press("Sign out")
	b.shows("You have signed out")
}

// A page of another site (another port is another origin, another name another
// site) that frames the authorisation page, or sends its form.
func TestBrowserKeepsOtherSitesOut_D27(t *testing.T) {
	t.Parallel()
	p, b := start(t), newTab(t)
	b.open(p.ask(elm, p.callback))
	b.signIn("dr.lee", password)
	token := js[string](b, `document.querySelector("main input[name=token]").value`)

	evil := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		if r.URL.Path == "/frame" {
			_, _ = fmt.Fprintf(w, `<!doctype html><title>evil</title><iframe src="%s"></iframe>`, p.ask(elm, p.callback))
			return
		}
		// It even knows the form's token.
		_, _ = fmt.Fprintf(w, `<!doctype html><title>evil</title><form method="post" action="%s"><input name="app" value="%s"><input name="redirect" value="%s">
			<input name="token" value="%s"><button name="decision" value="approve">Win a prize</button></form>`,
			p.page(elm, "authorise"), p.integrator.ID, p.callback, token)
	}))
	defer evil.Close()
	// The same name on another port is the same site, so it even sends the cookie.
	for _, site := range []string{strings.Replace(evil.URL, "127.0.0.1", "localhost", 1), evil.URL} {
		b.open(site + "/form")
		if answer := b.press("Win a prize"); answer.Status != http.StatusForbidden {
			t.Errorf("the form of %s was answered %d", site, answer.Status)
		}
		b.shows("This form was submitted from another website")
	}
	b.look("error-foreign")
	p.mayNotCall(elm)

	b.open(evil.URL + "/frame")
	b.hears("frame-ancestors")
}
