package browser_test

import (
	"context"
	_ "embed"
	"flag"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/chromedp"

	"frontdesk/cmd/frontdesk/testworld"
)

var screenshots = flag.String("screenshots", "", "write what pages look like into this folder")

// tab is a page of a browser without history.
type tab struct {
	t        *testing.T
	ctx      context.Context //nolint:containedctx // chromedp's handle of the tab
	messages chan string     // of the console
	pages    int             // loaded so far
}

const tabLimit = 10 * time.Minute // a busy machine

func newTab(t *testing.T) *tab {
	t.Helper()
	browser, err := chromium()
	if err != nil {
		t.Fatal(err)
	}
	return openTab(browser, t, chromedp.WithNewBrowserContext())
}

// sibling is another tab of the same browser, with its cookies.
func (b *tab) sibling() *tab { b.t.Helper(); return openTab(b.ctx, b.t) }

func openTab(parent context.Context, t *testing.T, options ...chromedp.ContextOption) *tab {
	t.Helper()
	ctx, closeTab := chromedp.NewContext(parent, options...)
	ctx, cancel := context.WithTimeout(ctx, tabLimit)
	t.Cleanup(func() { cancel(); closeTab() })
	tab := &tab{t: t, ctx: ctx, messages: make(chan string, 100)}
	testworld.Must(t, chromedp.Do(ctx)) // opens it; its life is ctx's
	err := chromedp.Listen(ctx, func(e any) {
		entry, ok := e.(*log.EventEntryAdded)
		if ok && !strings.HasPrefix(entry.Entry.Text, "Clear-Site-Data header on") { // each sign-out has it
			select {
			case tab.messages <- entry.Entry.Text:
			default:
			}
		}
	})
	testworld.Must(t, err)
	_, err = chromedp.Call(ctx, log.Enable, cdp.Empty{})
	testworld.Must(t, err)
	_, err = chromedp.Call(ctx, network.Enable, network.EnableParams{})
	testworld.Must(t, err)
	return tab
}

// do runs actions in the page.
func (b *tab) do(steps ...chromedp.Action[chromedp.Void]) {
	b.t.Helper()
	ask(b, chromedp.Steps(steps...))
}

// ask reads a value from the page.
func ask[T any](b *tab, question chromedp.Action[T]) T {
	b.t.Helper()
	return again(b, func() (T, error) { return chromedp.Run(b.ctx, question) })
}

// again tries an action until no live page replaces its element between finding and using it.
func again[T any](b *tab, try func() (T, error)) T {
	b.t.Helper()
	for {
		answer, err := try()
		if err == nil {
			return answer
		}
		if !strings.Contains(err.Error(), "Could not find node") || b.ctx.Err() != nil {
			b.t.Fatalf("%v; the page is\n%s", err, b.page())
		}
	}
}

// js evaluates an expression in the page.
func js[T any](b *tab, expression string) T {
	b.t.Helper()
	return ask(b, chromedp.Evaluate[T](expression, chromedp.EvalAwaitPromise))
}

// page is the text of the page, for failures.
func (b *tab) page() string {
	ctx, cancel := context.WithTimeout(b.ctx, 5*time.Second)
	defer cancel()
	text, err := chromedp.Run(ctx, chromedp.Text("body"))
	if err != nil {
		return err.Error()
	}
	return text
}

// loading runs actions that lead to another page, and waits for it.
func (b *tab) loading(steps ...chromedp.Action[chromedp.Void]) *network.Response {
	b.t.Helper()
	response := again(b, func() (*network.Response, error) { return chromedp.RunResponse(b.ctx, steps...) })
	b.pages++
	return response
}

func (b *tab) open(address string) *network.Response {
	b.t.Helper()
	return b.loading(chromedp.Navigate(address))
}

// press clicks the button of that name, in the page's main part or elsewhere.
func (b *tab) press(name string) *network.Response {
	b.t.Helper()
	return b.loading(chromedp.Click(button(name)))
}

func button(name string) string {
	named := `//button[starts-with(normalize-space(.), "` + name + `")]`
	return `//main` + named + ` | ` + named + `[not(//main` + named + `)]`
}

func (b *tab) signIn(username, password string) {
	b.t.Helper()
	b.do(chromedp.SetValue("#username", username), chromedp.SetValue("#password", password))
	b.press("Sign in")
}

// at is where the browser is.
func (b *tab) at() *url.URL {
	b.t.Helper()
	parsed, err := url.Parse(ask(b, chromedp.Location()))
	if err != nil {
		b.t.Fatal(err)
	}
	return parsed
}

// shows fails unless the page has a text.
func (b *tab) shows(text string) {
	b.t.Helper()
	if page := ask(b, chromedp.Text("body")); !strings.Contains(page, text) {
		b.t.Errorf("%s lacks %q:\n%s", b.at(), text, page)
	}
}

// titled fails unless the page's title begins with a text.
func (b *tab) titled(text string) {
	b.t.Helper()
	title := ask(b, chromedp.Title())
	if !strings.HasPrefix(title, text) {
		b.t.Errorf("the title is %q, want %q", title, text)
	}
}

// quiet fails if the console has any message, such as a violated policy.
func (b *tab) quiet() {
	b.t.Helper()
	for {
		select {
		case message := <-b.messages:
			b.t.Errorf("the console says: %s", message)
		default:
			return
		}
	}
}

// hears waits until the console has a text.
func (b *tab) hears(text string) {
	b.t.Helper()
	for {
		select {
		case message := <-b.messages:
			if strings.Contains(message, text) {
				return
			}
		case <-b.ctx.Done():
			b.t.Fatalf("the console never said %q", text)
		}
	}
}

//go:embed testdata/axe/axe.min.js
var axe string

const violations = `(async () => {
	const found = await axe.run(document, {runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]});
	return found.violations.map(v => v.impact + " " + v.id + ": " + v.help + " " + v.nodes.map(n => n.html).join(" "));
})()`

// look checks that the page is accessible, and keeps a picture of it.
func (b *tab) look(name string) {
	b.t.Helper()
	b.picture(name)
	b.do(chromedp.Evaluate[chromedp.Void](axe))
	for _, violation := range js[[]string](b, violations) {
		b.t.Errorf("%s: %s", name, violation)
	}
}

func (b *tab) picture(name string) {
	b.t.Helper()
	if *screenshots == "" {
		return
	}
	png := ask(b, chromedp.FullScreenshot(100))
	if err := os.WriteFile(filepath.Join(*screenshots, name+".png"), png, 0o600); err != nil {
		b.t.Fatal(err)
	}
}
