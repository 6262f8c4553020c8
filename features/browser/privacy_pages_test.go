package browser_test

import (
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"frontdesk/cmd/frontdesk/testworld"
	"frontdesk/commands"
	"frontdesk/domain/patient"
)

// A privacy officer needs nothing but the words of these pages: each step is done as it is written.
func TestBrowserFollowsPrivacyPages(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"see-who-accessed-a-record", "restrict-a-record", "subject-access-request", "erase-a-patient"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p, _ := guarded(t)
			zoe, err := p.Desk.RegisterPatient(t.Context(), commands.RegisterPatient{Tenant: elm, Name: "Joan Mistake", BirthDate: "1951-03-04"})
			testworld.Must(t, err)
			page, err := os.ReadFile("../../docs/privacy/" + name + ".md")
			testworld.Must(t, err)
			officers := []string{"po.ann", "po.bob"}
			parts := partsOfPage(string(page))
			if len(parts) == 0 {
				t.Fatal("the page has no steps")
			}
			for _, part := range parts {
				r := &reader{t: t, p: p, tab: newTab(t), name: "Joan Mistake"}
				r.tab.open(p.page(elm, "privacy"))
				r.tab.signIn(officers[0], password)
				for _, step := range part {
					r.follow(step)
				}
				officers = append(officers[1:], officers[0])
				p.Pass(25 * time.Hour)
			}
			p.checkOutcome(t, name, zoe)
		})
	}
}

func (p *program) checkOutcome(t *testing.T, page string, joan patient.ID) {
	t.Helper()
	b := newTab(t)
	b.open(p.page(elm, "privacy"))
	b.signIn("po.bob", password)
	b.open(p.page(elm, "privacy/patients/"+joan.String()))
	switch page {
	case "restrict-a-record":
		b.shows("Dr Lee")
		b.shows("restricted")
	case "subject-access-request":
		b.shows("read or downloaded the patient’s data")
	case "erase-a-patient":
		b.shows("We could not find that patient")
	default:
		b.shows("Joan Mistake")
	}
}

// partsOfPage returns the numbered steps of a page, by its sections.
func partsOfPage(page string) (parts [][]string) {
	for section := range strings.SplitSeq(page, "\n## ") {
		var steps []string
		for line := range strings.Lines(section) {
			switch text := strings.TrimSpace(line); {
			case numberedStep.MatchString(line):
				steps = append(steps, text[strings.Index(text, " ")+1:])
			case strings.HasPrefix(line, "   ") && steps != nil:
				steps[len(steps)-1] += " " + text
			}
		}
		if steps != nil {
			parts = append(parts, steps)
		}
	}
	return parts
}

// A reader does what the sentences of a step say.
type reader struct {
	t    *testing.T
	p    *program
	tab  *tab
	name string // of the patient
}

var (
	numberedStep = regexp.MustCompile(`^\d+\. `)

	sentences   = regexp.MustCompile(`[^.“]*(?:“[^”]*”[^.]*)*\.?`)
	selects     = regexp.MustCompile(`^Select \*\*([^*]+)\*\*`)
	enters      = regexp.MustCompile(`^Enter .* in \*\*([^*]+)\*\*`)
	chooses     = regexp.MustCompile(`^Choose .*?\*\*([^*]+)\*\*`)
	instruction = regexp.MustCompile(`^(Select|Enter|Choose) `)
	saysTheText = regexp.MustCompile(`The page says “([^”]+)”`)
)

func (r *reader) follow(step string) {
	r.t.Helper()
	for _, sentence := range sentences.FindAllString(step, -1) {
		sentence = strings.TrimSpace(sentence)
		switch {
		case strings.HasPrefix(sentence, "Select the patient"):
			r.tab.loading(chromedp.Click(`//main//h3/a[contains(., "` + r.name + `")]`))
		case strings.HasPrefix(sentence, "Select **Download a copy**"):
			if got := r.p.fetched(r.tab, "/copy"); len(got) < 1000 {
				r.t.Errorf("the copy has %d bytes", len(got))
			}
		case selects.MatchString(sentence):
			r.selects(selects.FindStringSubmatch(sentence)[1])
		case enters.MatchString(sentence):
			label := enters.FindStringSubmatch(sentence)[1]
			field := js[string](r.tab, `[...document.querySelectorAll("main label")].find(l => l.innerText.replace(/\s+/g, " ").startsWith("`+label+`")).htmlFor`)
			r.tab.do(chromedp.SetValue("#"+field, map[bool]string{true: r.name, false: "A second registration of the same person."}[strings.Contains(label, "Name")]))
		case chooses.MatchString(sentence):
			r.tab.do(chromedp.Click(`//main//label[normalize-space(.) = "` + chooses.FindStringSubmatch(sentence)[1] + `"]`))
		case instruction.MatchString(sentence):
			r.t.Errorf("the test cannot follow %q", sentence)
		}
		if text := saysTheText.FindStringSubmatch(sentence); text != nil {
			r.tab.shows(text[1])
		}
	}
}

func (r *reader) selects(name string) {
	r.t.Helper()
	if js[bool](r.tab, `[...document.querySelectorAll("button")].some(b => b.innerText.trim() === "`+name+`")`) {
		r.tab.press(name)
		return
	}
	r.tab.loading(chromedp.Click(`//a[starts-with(normalize-space(.), "` + name + `")]`))
}
