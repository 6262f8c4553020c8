package browser_test

import (
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/chromedp"

	"frontdesk/adapters/clock"
	"frontdesk/adapters/notary"
	"frontdesk/adapters/postgres"
	"frontdesk/cmd/frontdesk/app"
	"frontdesk/cmd/frontdesk/testworld"
	"frontdesk/domain/proof"
)

// sign starts a signer of the practices' logs.
func (p *program) sign() {
	p.t.Helper()
	private, err := notary.MakeKey(testworld.APIDomain, proof.Salt{1})
	testworld.Must(p.t, err)
	key, err := notary.ParseKey(private)
	testworld.Must(p.t, err)
	database, err := url.Parse(p.DB.URL)
	testworld.Must(p.t, err)
	database.User = url.User(postgres.SignerRole)
	p.Run(app.Sign{
		Now: clock.System, DatabaseURL: database.String(), Key: key, Dir: p.t.TempDir(), Every: 50 * time.Millisecond, Log: slog.New(slog.DiscardHandler),
	}.Run)
}

// downloaded is the file behind a link, in the browser's session.
func (p *program) downloaded(b *tab, selector string) (text, name string) {
	p.t.Helper()
	cookies, err := chromedp.Call(b.ctx, network.GetCookies, network.GetCookiesParams{})
	testworld.Must(p.t, err)
	request, err := http.NewRequestWithContext(p.t.Context(), http.MethodGet, js[string](b, `document.querySelector("`+selector+`").href`), http.NoBody)
	testworld.Must(p.t, err)
	for _, c := range cookies.Cookies {
		request.AddCookie(&http.Cookie{Name: c.Name, Value: c.Value})
	}
	answer, err := http.DefaultClient.Do(request)
	testworld.Must(p.t, err)
	defer answer.Body.Close()
	content, err := io.ReadAll(answer.Body)
	testworld.Must(p.t, err)
	return string(content), answer.Header.Get("Content-Disposition")
}

// compares pastes a note until the page judges it: the trees may be behind the signer.
func (b *tab) compares(page, note string) {
	b.t.Helper()
	for b.open(page); ; b.open(page) {
		b.do(chromedp.SetValue("#kept", note))
		if b.press("Check").Status != http.StatusServiceUnavailable {
			return
		}
	}
}

// A privacy officer downloads a checkpoint, and checks it later without script.
func TestBrowserKeepsCheckpoint_D140(t *testing.T) {
	t.Parallel()
	p, _ := guarded(t)
	ann, page := newTab(t), p.page(elm, "privacy/checkpoint")
	ann.open(p.page(elm, "privacy"))
	ann.signIn("po.ann", password)
	ann.loading(chromedp.Click(`a[href$="/privacy/checkpoint"]`))
	ann.titled("Keep a checkpoint")
	ann.shows("No checkpoint of this practice is signed yet.")
	ann.fits("checkpoint-none")
	p.sign()
	for !strings.Contains(ask(ann, chromedp.Text("body")), "Download elm-street-") {
		ann.open(page)
	}
	ann.fits("checkpoint")
	note, name := p.downloaded(ann, "main a[download]")
	kept, err := proof.ParseNote([]byte(note))
	if err != nil || !strings.HasPrefix(name, `attachment; filename="elm-street-`) {
		t.Fatalf("the download is %q, %s: %v", note, name, err)
	}
	ann.withoutScript()
	ann.compares(page, note)
	ann.shows("The log still begins with the checkpoint")
	ann.compares(page, strings.Replace(note, kept.Root.String(), proof.Edge{}.Root().String(), 1))
	ann.shows("The log does not begin with the checkpoint.")
	ann.compares(page, "hello")
	ann.titled("Error: Keep a checkpoint")

	bob := newTab(t)
	bob.open(page)
	bob.signIn("po.bob", password)
	bob.compares(page, note)
	bob.fits("checkpoint-begins")
	bob.compares(page, strings.Replace(note, kept.Root.String(), proof.Edge{}.Root().String(), 1))
	bob.fits("checkpoint-differs")
	bob.compares(page, "hello")
	bob.fits("checkpoint-wrong")
}
