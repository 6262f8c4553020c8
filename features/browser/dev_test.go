package browser_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"frontdesk/adapters/clock"
	"frontdesk/adapters/clock/clocktest"
	"frontdesk/adapters/postgres/postgrestest"
	"frontdesk/cmd/frontdesk/devkit/dev"
	"frontdesk/cmd/frontdesk/testworld"
)

// codeBase is an integrator's program that receives webhooks, with a frontdesk dev.
type codeBase struct {
	dev.Running
	t      *testing.T
	status atomic.Int32 // of the program's answers
}

// develop starts a frontdesk dev with a sandbox of its own, for a test that changes it.
func develop(t *testing.T) *codeBase {
	t.Helper()
	c, stop, err := startCodeBase(postgrestest.Dir(t))
	t.Cleanup(func() { testworld.Must(t, stop()) })
	testworld.Must(t, err)
	c.t = t
	return c
}

// lookAround returns the shared one, for tests that do not change the sandbox.
func lookAround(t *testing.T) *codeBase {
	t.Helper()
	shared.Do(func() {
		shared.dir, shared.err = postgrestest.MakeDir()
		if shared.err == nil {
			shared.codeBase, shared.stop, shared.err = startCodeBase(shared.dir)
		}
	})
	testworld.Must(t, shared.err)
	return &codeBase{Running: shared.Running, t: t}
}

var shared struct {
	sync.Once
	*codeBase
	dir  string
	stop func() error
	err  error
}

// closeShared is for TestMain.
func closeShared() error {
	if shared.stop == nil {
		return nil
	}
	return errors.Join(shared.stop(), os.RemoveAll(shared.dir))
}

// startCodeBase starts a frontdesk dev in a directory and waits until it is ready.
func startCodeBase(dir string) (c *codeBase, stop func() error, err error) {
	c = &codeBase{}
	c.status.Store(http.StatusOK)
	program := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		w.WriteHeader(int(c.status.Load()))
	}))
	config := dev.Config{
		KeyDir: filepath.Join(dir, "keys"), SandboxDir: filepath.Join(dir, "sandbox"), Listen: "127.0.0.1:0", ListenAPI: "127.0.0.1:0",
		ForwardTo: program.URL + "/hook", Name: "Triage Helper", Out: io.Discard, Now: clock.System, Log: slog.New(slog.DiscardHandler),
	}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- dev.Run(ctx, config) }()
	stop = sync.OnceValue(func() error {
		cancel()
		defer program.Close()
		return <-ended
	})
	for {
		if c.Running, err = dev.Find(config.KeyDir); err == nil {
			return c, stop, nil
		}
		select {
		case err := <-ended:
			ended <- nil
			return c, stop, fmt.Errorf("it has ended: %w", err)
		case <-time.After(50 * time.Millisecond):
		}
	}
}

// call calls the service like the code.
func (c *codeBase) call(path string) {
	c.t.Helper()
	signer, err := testworld.Signer("", c.Application.PrivateKeyFile)
	testworld.Must(c.t, err)
	token, err := signer.Token(c.Application.ID.String(), "", clock.System())
	testworld.Must(c.t, err)
	request, err := http.NewRequestWithContext(c.t.Context(), http.MethodGet, c.APIURL+"/transactional-api/"+path, http.NoBody)
	testworld.Must(c.t, err)
	request.Header.Set("Authorization", "Bearer "+token)
	answer, err := http.DefaultClient.Do(request)
	testworld.Must(c.t, err)
	answer.Body.Close()
}

// until waits until the page shows a text, without a reload.
func (b *tab) until(text string) {
	b.t.Helper()
	clocktest.Eventually(b.t, func() bool { return strings.Contains(ask(b, chromedp.Text("body")), text) }, "the page to show %q", text)
}

// The page follows the code and the service live, and its buttons do the rest.
func TestBrowserShowsApplicationHealth_D97(t *testing.T) {
	t.Parallel()
	c, b := develop(t), newTab(t)
	b.open(c.PageURL)
	b.titled("Triage Helper – frontdesk dev")
	if at := b.at(); at.RawQuery != "" {
		t.Errorf("the key stays in the address: %s", at)
	}
	b.shows("Your application has made no call yet.")
	b.look("dev")

	c.call("retrieve-care-record?patientId=x")
	b.until("invalid-patient-id")
	b.shows("patientId must be a UUID")

	b.press("Open the record")
	b.until("Verified. ")
	b.until("your program answered 200 in")
	c.status.Store(http.StatusInternalServerError)
	b.press("Start a consultation")
	b.until("your program answered 500 in")
	c.status.Store(http.StatusOK)
	b.press("Resend the same bytes")
	b.until("consultation.started resent: verified; your program answered 200")
	b.press("Trigger it again, newly signed")
	b.until("consultation.started has happened to")
	b.until("consultation.started: verified; your program answered 200")
	b.press("Send a test webhook")
	b.until("ping: verified; your program answered 200")
	b.look("dev-webhooks")

	b.press("Rotate the key")
	b.until("tokens are signed with")
	b.press("12 hours on")
	b.until("12h0m0s ahead of real time")
	b.press("Let it act for")
	b.until("The application may act for sam.taylor")
	b.do(chromedp.Click("#reset summary"))
	b.press("Reset it now")
	b.until("The sandbox was reset")
	b.until("Your application has made no call yet.")
	b.until("real time")
	c.call("ping")
	b.until("200 OK")
	b.fits("dev-reset")
	b.quiet()
}

// The page works without its script, except that it does not update.
func TestBrowserNeedsNoScriptToDevelop_D97(t *testing.T) {
	t.Parallel()
	c, b := lookAround(t), newTab(t)
	b.withoutScript()
	b.open(c.PageURL)
	b.shows("Without JavaScript, this page does not update.")
	b.press("Call in, and take it back")
	b.shows("callin.notification.removed has happened")
	clocktest.Eventually(t, func() bool {
		b.press("Reload")
		text := ask(b, chromedp.Text("body"))
		return strings.Contains(text, "callin.notification.shown: verified; your program answered 200") &&
			strings.Contains(text, "callin.notification.removed: verified; your program answered 200")
	}, "two webhooks to be answered")
}

// An event is chosen from the list, and what is chosen stays while others come. Its command is copied.
func TestBrowserChoosesEventOfDev_D171(t *testing.T) {
	t.Parallel()
	c, b := lookAround(t), newTab(t)
	b.open(c.PageURL)
	b.loading(chromedp.Click(`//a[normalize-space(.)="Problems"]`)) // webhooks of other tests are none
	c.call("retrieve-care-record?patientId=chosen")
	b.until("invalid-patient-id")
	b.loading(chromedp.Click(`//ol//a[contains(., "retrieve-care-record")]`))
	b.shows("patientId must be a UUID")
	b.press("Open the record")
	b.until("record.opened: verified; your program answered 200")
	b.shows("patientId must be a UUID")
	if listed := ask(b, chromedp.Text("#events ol")); strings.Contains(listed, "record.opened") {
		t.Errorf("the list of problems has\n%s", listed)
	}
	// A headless browser has no clipboard.
	js[bool](b, `(navigator.clipboard.writeText = async text => { window.copied = text }, true)`)
	clocktest.Eventually(t, func() bool { // the page replaces the button when other tests cause events
		b.do(chromedp.Click(`[data-copy]`))
		return strings.Contains(ask(b, chromedp.Text("#events")), "Copied")
	}, "the button to say that it has copied")
	if copied := js[string](b, `window.copied`); !strings.HasPrefix(copied, "curl ") {
		t.Errorf("copied %q", copied)
	}
	b.fits("dev-chosen")
	b.quiet()
}

// A page of another site in the same browser, with the cookie, presses no button and
// reads nothing.
func TestBrowserPressesNothingForAnotherPage_D97(t *testing.T) {
	t.Parallel()
	c, b := lookAround(t), newTab(t)
	b.open(c.PageURL)
	page := b.at()
	evil := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		_, _ = io.WriteString(w, `<!doctype html><html lang="en"><title>Evil</title><link rel="icon" href="data:,">
			<form method="post" action="`+page.String()+`do/reset"><button>Win a prize</button></form>
			<iframe src="`+page.String()+`"></iframe>`)
	}))
	t.Cleanup(evil.Close)
	b.open(evil.URL)
	if read := js[string](b, `fetch("`+page.String()+`", {credentials: "include"}).then(r => r.text(), () => "nothing")`); read != "nothing" {
		t.Errorf("a script elsewhere has read %q", read)
	}
	b.press("Win a prize")
	b.shows("This was not sent from the page of frontdesk dev")
	b.open(page.String())
	if text := ask(b, chromedp.Text("body")); strings.Contains(text, "was reset") {
		t.Errorf("the button was pressed:\n%s", text)
	}
}
