package browser_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
)

// Each page is accessible, and works under its strict content security policy. The
// output of Swagger UI is only checked for its width.
func TestBrowserShowsTheReference_D98(t *testing.T) {
	t.Parallel()
	c, b := lookAround(t), newTab(t)
	for _, page := range []string{"", "events.html", "errors/", "errors/unauthorized.html", "guides/", "guides/operate/back-up.html"} {
		b.open(c.APIURL + "/docs/" + page)
		b.fits("docs-" + strings.NewReplacer("/", "-", ".html", "").Replace(page))
	}
	b.open(strings.Replace(c.APIURL, "127.0.0.1", "localhost", 1) + "/docs/reference.html")
	if at := b.at().String(); at != c.APIURL+"/docs/reference.html" {
		t.Errorf("localhost leads to %s", at)
	}
	b.until("/transactional-api/create-patient-request")
	b.picture("docs-reference")
	b.do(chromedp.EmulateViewport(zoomed, 900))
	if got := js[int64](b, `document.documentElement.scrollWidth`); got > zoomed {
		t.Errorf("the reference is %d pixels wide on a screen of %d", got, zoomed)
	}
	b.picture("docs-reference-320")
	b.quiet()
}

// The search finds pages by all typed words, from any page.
func TestBrowserSearchesDocumentation_D176(t *testing.T) {
	t.Parallel()
	c, b := lookAround(t), newTab(t)
	b.open(c.APIURL + "/docs/guides/operate/back-up.html")
	b.do(chromedp.SendKeys("#search", "erase patient data"))
	b.becomes(`[...document.querySelectorAll("#results a")].some(a => a.innerText === "Erase a patient's data")`)
	b.fits("docs-search")
	b.loading(chromedp.Click(`//*[@id="results"]//a[. = "Erase a patient's data"]`))
	b.shows("Request the erasure")
	b.quiet()
}

// tries opens a call on the page, sends its example, and returns the answer.
func (b *tab) tries(operation string) string {
	b.t.Helper()
	at := `[id$="-` + operation + `"]`
	b.do(chromedp.Click(at+` .opblock-summary-control`), chromedp.WaitVisible(at+` .execute`), chromedp.Click(at+` .execute`),
		chromedp.WaitVisible(at+` .live-responses-table .response-col_status`))
	return ask(b, chromedp.Text(at+` .live-responses-table .response`))
}

// Trying a call needs no key and no identifier: the example works unchanged.
func TestBrowserTriesCallsOfTheReference_D98(t *testing.T) {
	t.Parallel()
	c, b := lookAround(t), newTab(t)
	b.open(c.APIURL + "/docs/reference.html")
	b.until("/transactional-api/create-patient-request")
	for operation, want := range map[string]string{
		"create-patient-request": `"patientRequestId"`, "retrieve-care-record": `"consultations"`, "call-in-patient": `"appointmentId"`,
		"ping": `"application-restricted"`,
	} {
		if answer := b.tries(operation); !strings.Contains(answer, "200") || !strings.Contains(answer, want) {
			t.Errorf("%s is answered %s", operation, answer)
		}
	}
	b.picture("docs-tried")
	js[int](b, `document.querySelector("#as").selectedIndex = document.querySelector("#as").options.length - 1`)
	if answer := b.tries("request-type-availability"); !strings.Contains(answer, "not currently authorised to request as the specified user") {
		t.Errorf("for a user without authorisations: %s", answer)
	}
}

// A page of another site in the same browser gets no token, and cannot read the pages.
func TestBrowserGivesNoTokenToAnotherPage_D98(t *testing.T) {
	t.Parallel()
	c, b := lookAround(t), newTab(t)
	docs := c.APIURL + "/docs/"
	evil := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		_, _ = io.WriteString(w, `<!doctype html><html lang="en"><title>Evil</title><link rel="icon" href="data:,">
			<script src="`+docs+`openapi.js"></script><iframe src="`+docs+`reference.html"></iframe>
			<form method="post" enctype="text/plain" action="`+docs+`token"><input name='{"x":"' value='"}'><button>Win a prize</button></form>`)
	}))
	t.Cleanup(evil.Close)
	b.open(evil.URL)
	for name, options := range map[string]string{
		"JSON": `{method: "POST", headers: {"Content-Type": "application/json"}, body: "{}"}`, "text": `{method: "POST", body: "{}"}`,
		"without an answer": `{method: "POST", body: "{}", mode: "no-cors"}`, "a page": `{}`,
	} {
		if read := js[string](b, `fetch("`+docs+`token", `+options+`).then(r => r.text(), () => "").then(t => t || "nothing")`); read != "nothing" {
			t.Errorf("with %s, a script elsewhere has read %q", name, read)
		}
	}
	if js[bool](b, `"frontdesk" in window`) {
		t.Error("a script elsewhere has read the description with the sandbox's identifiers")
	}
	b.press("Win a prize")
	b.shows("Only the sandbox's own pages may ask for tokens.")
}
