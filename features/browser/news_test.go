package browser_test

import (
	"slices"
	"testing"

	cdppage "github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"

	"frontdesk/cmd/frontdesk/testworld"
	"frontdesk/domain/request"
)

// recordsNotifications is a browser whose user allows notifications when asked. It keeps what
// pages would show.
const recordsNotifications = `
	window.rung = [];
	window.Notification = class {
		constructor(title, { body }) { window.rung.push(title + ": " + body); }
		static get permission() { return localStorage.asked || "default"; }
		static async requestPermission() { return localStorage.asked = "granted"; }
	};
	Document.prototype.hasFocus = () => false;`

// What came since the list was loaded is announced with its urgency and in the title, shown
// alone and with the filter of the list, and notified without a name.
func TestBrowserShowsWhatCame_D156(t *testing.T) {
	t.Parallel()
	p := startInbox(t)
	b := p.as("bob", "requests")
	b.comes(p.page(elm, "requests"), "Bill Baker")
	_, err := chromedp.Call(b.ctx, cdppage.AddScriptToEvaluateOnNewDocument, cdppage.AddScriptToEvaluateOnNewDocumentParams{Source: recordsNotifications})
	testworld.Must(t, err)
	b.open(p.page(elm, "requests?tab=done&type=medical"))
	b.do(chromedp.Click("#bell button"))
	b.becomes(`document.querySelector("#bell button").innerText === "Stop notifications"`)
	b.shows("This browser notifies you of new requests, without names, while this page is open.")
	ask := func(kind request.Type, urgent bool) {
		p.asks(request.Submission{
			Patient: p.bill, Type: kind, Requester: request.ByPatient, HighPriority: urgent,
			Response: []request.Answer{{Question: "requestDetails", Answer: "A letter"}, {Question: "healthConcern", Answer: "A cough"}},
		})
	}
	ask(request.Medical, false)
	ask(request.Admin, false) // another type than the list's
	ask(request.Medical, true)
	b.becomes(`document.querySelector(".news").innerText === "2 new requests, 1 urgent – show"`)
	b.titled("(2) Requests")
	if rung := js[[]string](b, `window.rung`); !slices.Contains(rung, "Elm Street Surgery: 2 new requests, 1 urgent") {
		t.Errorf("the browser was asked to show %q", rung)
	}
	b.look("requests-news")
	b.loading(chromedp.Click(".news a"))
	if rows := js[[]string](b, `[...document.querySelectorAll(".list tbody tr")].map(row => row.cells[4].innerText + (row.className === "urgent-row"))`); !slices.Equal(rows, []string{"Medicaltrue", "Medicalfalse"}) {
		t.Errorf("%q are shown", rows)
	}
	b.titled("Requests")
	b.do(chromedp.Click("#bell button"))
	b.becomes(`document.querySelector("#bell button").innerText === "Notify me of new requests"`)
	b.look("requests-since")
	b.quiet()
}
