package browser_test

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"frontdesk/adapters/postgres/postgrestest"
	"frontdesk/cmd/frontdesk/testworld"
	"frontdesk/commands"
	"frontdesk/domain/patient"
	"frontdesk/domain/request"
	"frontdesk/domain/staff"
)

// inbox is a practice with requests, with Bob, a receptionist, and Dr Lee.
type inbox struct {
	*program
	ann, bill patient.ID
	rash      request.ID // of Ann, with a picture
}

func startInbox(t *testing.T) *inbox {
	t.Helper()
	p := &inbox{program: start(t)}
	_, err := p.Desk.RegisterStaff(t.Context(), commands.RegisterStaff{
		Tenant: elm, Username: "bob", Name: "Bob Hale", Email: "bob@practice.example", Roles: staff.Roles{staff.Receptionist}, Password: password,
	})
	testworld.Must(t, err)
	p.ann, p.bill = p.patient("Ann Archer", "1950-02-28"), p.patient("Bill Baker", "")
	p.rash = p.asks(request.Submission{
		Patient: p.ann, Type: request.Medical, Requester: request.ByProxy, HighPriority: true,
		Proxy: &request.Proxy{FirstName: "Bea", LastName: "Archer", RelationshipToPatient: "daughter"},
		Response: []request.Answer{
			{Question: "healthConcern", Answer: "A rash on both arms, since Monday.\n<script>alert(1)</script>"}, {Question: "recentContact", Answer: ""},
		},
		Attachments: []request.Attachment{p.picture("rash.png")},
	})
	p.asks(request.Submission{
		Patient: p.bill, Type: request.Admin, Requester: request.ByPatient,
		Response: []request.Answer{{Question: "requestDetails", Answer: "A letter for my employer"}},
	})
	return p
}

func (p *inbox) patient(name, born string) patient.ID {
	p.t.Helper()
	id, err := p.Desk.RegisterPatient(p.t.Context(), commands.RegisterPatient{Tenant: elm, Name: name, BirthDate: born})
	testworld.Must(p.t, err)
	return id
}

func (p *inbox) asks(s request.Submission) request.ID {
	p.t.Helper()
	id, err := p.Desk.SubmitPatientRequest(p.t.Context(), commands.SubmitPatientRequest{Tenant: elm, Submission: s})
	testworld.Must(p.t, err)
	return id
}

// picture stores a small blue square.
func (p *inbox) picture(name string) request.Attachment {
	p.t.Helper()
	square := image.NewRGBA(image.Rect(0, 0, 64, 64))
	for n := range 64 * 64 {
		square.Set(n%64, n/64, color.RGBA{0, 94, 184, 255})
	}
	var content bytes.Buffer
	testworld.Must(p.t, png.Encode(&content, square))
	return postgrestest.Upload(p.t, p.Uploads, elm, request.Attachment{FileName: name, ContentType: "image/png"}, content.Bytes())
}

// as opens a page as a member of staff.
func (p *inbox) as(username, name string, steps ...chromedp.Action[chromedp.Void]) *tab {
	p.t.Helper()
	b := newTab(p.t)
	b.do(steps...)
	b.open(p.page(elm, name))
	b.signIn(username, password)
	b.open(p.page(elm, name))
	return b
}

// comes waits until the inbox shows a text, because it follows the log.
func (b *tab) comes(address, text string) {
	b.t.Helper()
	for {
		b.open(address)
		if js[bool](b, `document.body.innerText.includes(`+"`"+text+"`"+`)`) {
			return
		}
		if b.ctx.Err() != nil {
			b.t.Fatalf("the inbox never showed %q", text)
		}
		time.Sleep(20 * time.Millisecond)
	}
}

// Two receptionists in two browsers take the same request: one gets it, the other sees
// who has it, and no typed text is lost.
func TestBrowserTwoTakeTheSameRequest_D84(t *testing.T) {
	t.Parallel()
	p := startInbox(t)
	bob := p.as("bob", "")
	bob.titled("Requests")
	bob.comes(p.page(elm, "requests"), "Bill Baker")
	p.asks(request.Submission{
		Patient: p.bill, Type: request.Admin, Requester: request.ByPatient,
		Response: []request.Answer{{Question: "requestDetails", Answer: "And another one"}},
	})
	bob.hasNews("1 new request – show")
	bob.look("requests")
	bob.loading(chromedp.Click(".news a"))
	if rows := js[int](bob, `document.querySelectorAll(".list tbody tr").length`); rows != 1 {
		t.Errorf("%d requests are shown", rows)
	}
	bob.open(p.page(elm, "requests"))
	bob.loading(chromedp.Click(`//a[contains(., "Ann Archer")]`))
	bob.titled("Request")
	bob.shows("<script>alert(1)</script>")
	bob.look("request")
	lee := p.as("dr.lee", "requests/"+p.rash.String())

	bob.do(chromedp.SetValue("#text", "It is on her legs, too"))
	bob.press("Assign to me")
	bob.shows("Request assigned to you.")
	bob.look("request-taken")

	lee.do(chromedp.SetValue("#text", "I shall ring her\ntomorrow"))
	if answer := lee.press("Assign to me"); answer.Status != http.StatusConflict {
		t.Errorf("the slower one was answered %d", answer.Status)
	}
	lee.shows("Bob Hale took this at 1:00pm.")
	lee.shows("Bob Hale wrote a note at 1:00pm.")
	if kept := js[string](lee, `document.querySelector("#text").value`); kept != "I shall ring her\ntomorrow" {
		t.Errorf("what was typed is now %q", kept)
	}
	if focused := js[string](lee, `document.activeElement.className`); focused != "summary" {
		t.Errorf("focus is on %q, want the summary of what has happened", focused)
	}
	lee.look("request-too-late")

	bob.quiet()
	bob.do(chromedp.SetValue("#text", "Told her to see the pharmacist"))
	bob.press("Complete the request")
	bob.shows("Choose an outcome.")
	bob.look("request-no-outcome")
	bob.do(chromedp.Click("#outcome-signposted"))
	bob.press("Complete the request")
	bob.shows("You completed this (Signposted elsewhere)")
	bob.look("request-completed")
	bob.comes(p.page(elm, "requests?tab=done"), "You completed it at 1:00pm.")
	lee.open(p.page(elm, "requests/"+p.rash.String()+"/attachments/1"))
	if width := js[int](lee, `document.images[0].naturalWidth`); width != 64 {
		t.Errorf("the picture is %d pixels wide", width)
	}
	lee.picture("attachment")
}

// Only with the keyboard, without script, on a phone and at 400 % zoom.
func TestBrowserHandlesRequestsAnyhow_D84(t *testing.T) {
	t.Parallel()
	p := startInbox(t)
	request := p.page(elm, "requests/"+p.rash.String())
	b := p.as("bob", "requests", chromedp.EmulateViewport(390, 844, chromedp.EmulateMobile, chromedp.EmulateTouch))
	b.comes(p.page(elm, "requests"), "Bill Baker")
	b.narrow(390, "requests")
	b.do(chromedp.EmulateViewport(320, 640, chromedp.EmulateMobile, chromedp.EmulateTouch))
	b.narrow(320, "requests")
	b.open(request)
	b.narrow(320, "request")
	b.open(request + "/patient")
	b.do(chromedp.SetValue("#find", "bill"))
	b.press("Find")
	b.narrow(320, "request-patient")

	b.withoutScript()
	b.open(request)
	b.do(chromedp.Focus("#text"), chromedp.KeyEvent("He rang about it, not she"+kb.Tab))
	b.loading(chromedp.KeyEvent(kb.Enter)) // Save the note
	b.shows("He rang about it, not she")
	b.do(chromedp.Focus(`//a[contains(., "Move to another patient")]`))
	b.loading(chromedp.KeyEvent(kb.Enter))
	b.titled("Move the request to another patient")
	b.do(chromedp.Focus("#find"), chromedp.KeyEvent("bill"))
	b.loading(chromedp.KeyEvent(kb.Enter))
	b.shows("1 patient found.")
	b.quiet()
	b.picture("narrow-request-move")
	b.press("Move the request")
	b.shows("Choose one of the patients.")
	b.do(chromedp.Focus(`input[name="to"]`), chromedp.KeyEvent(" "+kb.Tab+"It is his rash"+kb.Tab))
	b.loading(chromedp.KeyEvent(kb.Enter))
	b.shows("The request has been moved to this patient.")
	b.shows("You moved this from another patient")
}

// hasNews waits until the page announces new requests, and fails if it has moved a row.
func (b *tab) hasNews(text string) {
	b.t.Helper()
	for js[string](b, `document.querySelector(".news").innerText`) != text {
		if b.ctx.Err() != nil {
			b.t.Fatalf("the page never said %q", text)
		}
		time.Sleep(20 * time.Millisecond)
	}
	if rows := js[int](b, `document.querySelectorAll(".list tbody tr").length`); rows != 2 {
		b.t.Errorf("%d requests are shown under the hand", rows)
	}
}

// narrow fails if the page is wider than the screen, has targets that are too small for
// a thumb, or findings.
func (b *tab) narrow(width int, name string) {
	b.t.Helper()
	if got := js[int](b, `document.documentElement.scrollWidth`); got > width {
		b.t.Errorf("%s is %d pixels wide", name, got)
	}
	small := js[[]string](b, `[...document.querySelectorAll("button, select, textarea, input:not([type=hidden])")]
		.filter(e => e.checkVisibility() && e.getBoundingClientRect().height < 40).map(e => e.outerHTML)`)
	if len(small) > 0 {
		b.t.Errorf("%s has targets that a thumb misses: %s", name, small)
	}
	b.look("narrow-" + name)
}

// A list that is open shows what colleagues do with its requests, and nothing moves.
func TestBrowserShowsColleaguesWork_D154(t *testing.T) {
	t.Parallel()
	p := startInbox(t)
	bob := p.as("bob", "requests")
	bob.comes(p.page(elm, "requests"), "Bill Baker")
	lee := p.as("dr.lee", "requests")
	lee.press("Take: Ann Archer")
	lee.shows("Request assigned to you.")
	row := `document.querySelector(".list tbody tr").innerText`
	for !strings.Contains(js[string](bob, row), "Dr Lee has it.") {
		if bob.ctx.Err() != nil {
			t.Fatalf("the row never says who has the request:\n%s", js[string](bob, row))
		}
		time.Sleep(20 * time.Millisecond)
	}
	if rows := js[int](bob, `document.querySelectorAll(".list tbody tr").length`); rows != 2 {
		t.Errorf("%d requests are shown", rows)
	}
	bob.look("requests-taken-by-colleague")
	bob.press("Take: Bill Baker")
	bob.do(chromedp.Click("#outcome-replied"))
	bob.press("Complete the request")
	bob.shows("The request is completed.")
	bob.quiet()
}

// Dark colours have the contrast that light ones have.
func TestBrowserIsReadableInTheDark_D154(t *testing.T) {
	t.Parallel()
	p := startInbox(t)
	b := p.as("bob", "requests")
	b.comes(p.page(elm, "requests"), "Bill Baker")
	_, err := chromedp.Call(b.ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: "dark"}}})
	testworld.Must(t, err)
	for name, page := range map[string]string{"requests": "requests", "request": "requests/" + p.rash.String(), "patient": "patients/" + p.bill.String(), "day": "day", "account": "account", "search": "patients"} {
		b.open(p.page(elm, page))
		if ground := js[string](b, `getComputedStyle(document.body).backgroundColor`); ground != "rgb(20, 25, 29)" {
			t.Errorf("the ground of %s is %s", name, ground)
		}
		b.look("dark-" + name)
	}
	b.quiet()
}

// A practice sees its work at a glance: 12 requests and 14 appointments on a desk's screen, 5
// of each on a telephone.
func TestBrowserShowsManyRows_D154(t *testing.T) {
	t.Parallel()
	p := startInbox(t)
	at, err := p.Desk.AddSite(t.Context(), commands.AddSite{Tenant: elm, Name: "Elm House"})
	testworld.Must(t, err)
	for n := range 20 {
		p.asks(request.Submission{
			Patient: p.bill, Type: request.Admin, Requester: request.ByPatient, Response: []request.Answer{{Question: "requestDetails", Answer: "A letter"}},
		})
		p.expected(fmt.Sprintf("Cleo Carver %d", n), at, time.Duration(n-10)*5*time.Minute)
	}
	b := p.as("bob", "requests", chromedp.EmulateViewport(1280, 800))
	b.comes(p.page(elm, "requests"), "New 22")
	inView := func(page string, most int) {
		t.Helper()
		b.open(p.page(elm, page))
		rows := js[int](b, `[...document.querySelectorAll(".list tbody tr")].filter(row => row.getBoundingClientRect().bottom <= innerHeight).length`)
		if rows < most {
			t.Errorf("%d rows of %s are in view, want %d", rows, page, most)
		}
		if wide := js[int](b, `document.documentElement.scrollWidth - innerWidth`); wide > 0 {
			t.Errorf("%s is %d pixels too wide", page, wide)
		}
	}
	inView("requests", 12)
	inView("day", 14)
	b.do(chromedp.EmulateViewport(390, 844, chromedp.EmulateMobile, chromedp.EmulateTouch))
	inView("requests", 5)
	inView("day", 5)
}
