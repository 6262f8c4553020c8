package browser_test

import (
	"fmt"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/chromedp/chromedp"

	"frontdesk/cmd/frontdesk/devkit/sandbox"
)

// cost is the work of a person for a task: clicks (a select is two), pages that are loaded,
// scrolls to what is below or above the screen, and typed characters.
type cost struct{ clicks, loads, scrolls, typed int }

// exceeds reports whether a part of the cost is above that of another.
func (c cost) exceeds(most cost) bool {
	return c.clicks > most.clicks || c.loads > most.loads || c.scrolls > most.scrolls || c.typed > most.typed
}

// desk is a person at a screen of 1280×800, whose work is counted.
type desk struct {
	*tab
	info *sandbox.Info
	cost
}

func sitDown(t *testing.T, info *sandbox.Info) *desk {
	t.Helper()
	d := &desk{tab: newTab(t), info: info}
	d.do(chromedp.EmulateViewport(1280, 800))
	return d
}

// enter signs a person in, at the address where they start.
func (d *desk) enter(who string) {
	d.t.Helper()
	for _, person := range d.info.People {
		if person.Username != who {
			continue
		}
		d.visit("")
		d.write("Username", person.Username)
		d.write("Password", person.Password)
		d.goTo("Sign in")
		return
	}
	d.t.Fatalf("nobody is called %s", who)
}

// visit opens a page by its address, as a bookmark does.
func (d *desk) visit(page string) {
	d.t.Helper()
	d.open(d.info.PagesURL() + page)
	d.loads++
}

// found marks the first element of a name that a person can see, scrolls to it if necessary,
// and returns whether that was so. Names are regular expressions for the beginning.
const found = `((name, among) => {
	const begins = new RegExp("^(?:" + name + ")", "us"), clean = e => (e.getAttribute("aria-label") || e.textContent).replace(/\s+/g, " ").trim();
	document.querySelectorAll("[data-driven]").forEach(e => e.removeAttribute("data-driven"));
	let target = [...document.querySelectorAll(among)].find(e => e.getClientRects().length && begins.test(clean(e)));
	if (!target) return "";
	if (target.control && among === "label") target = target.control;
	target.setAttribute("data-driven", "");
	const at = target.getBoundingClientRect(), hidden = at.top < 0 || at.bottom > innerHeight;
	if (hidden) target.scrollIntoView({block: "center", behavior: "instant"});
	return hidden ? "scrolled" : "in view";
})(%q, %q)`

func (d *desk) find(name, among string) {
	d.t.Helper()
	switch js[string](d.tab, fmt.Sprintf(found, name, among)) {
	case "":
		d.t.Fatalf("%s has no %s called %q:\n%s", d.at(), among, name, d.page())
	case "scrolled":
		d.scrolls++
	}
}

const driven = `document.querySelector("[data-driven]")`

// goTo clicks a link or a button that leads to another page.
func (d *desk) goTo(name string) {
	d.t.Helper()
	d.find(name, "a, button")
	d.clicks++
	d.loads++
	d.loading(chromedp.Evaluate[chromedp.Void](driven + `.click()`))
}

// pressEnter submits the form of the field that was written last.
func (d *desk) pressEnter() {
	d.t.Helper()
	d.loads++
	d.loading(chromedp.Evaluate[chromedp.Void](driven + `.form.requestSubmit()`))
}

// pick ticks a box or chooses a radio button.
func (d *desk) pick(label string) {
	d.t.Helper()
	d.find(label, "label")
	d.clicks++
	d.do(chromedp.Evaluate[chromedp.Void](driven + `.click()`))
}

// write types into a field, and clicks into it first unless it has the focus.
func (d *desk) write(label, text string) {
	d.t.Helper()
	d.find(label, "label")
	if !js[bool](d.tab, driven+` === document.activeElement`) {
		d.clicks++
	}
	d.typed += utf8.RuneCountInString(text)
	d.do(chromedp.Evaluate[chromedp.Void](fmt.Sprintf(`{ const e = `+driven+`; e.focus(); e.value = %q; e.dispatchEvent(new Event("input", {bubbles: true})); }`, text)))
}

// choose opens a select and chooses the first option of a name.
func (d *desk) choose(label, option string) {
	d.t.Helper()
	d.find(label, "label")
	d.clicks += 2
	chosen := js[bool](d.tab, fmt.Sprintf(`(name => { const e = `+driven+`, o = [...e.options].find(o => new RegExp("^(?:" + name + ")").test(o.text.trim()));
		if (o) { e.value = o.value; e.dispatchEvent(new Event("change", {bubbles: true})); } return !!o; })(%q)`, option))
	if !chosen {
		d.t.Fatalf("%s of %s has no option %q", label, d.at(), option)
	}
}

// date types a date into its field.
func (d *desk) date(on time.Time) {
	d.t.Helper()
	d.write("(Day|Date)", on.Format("02 01 2006")) // as many characters on each day
}
