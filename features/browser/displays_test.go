package browser_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"frontdesk/cmd/frontdesk/testworld"
	"frontdesk/commands"
	"frontdesk/domain/appointment"
	"frontdesk/domain/site"
)

// waiting is a practice's site with two rooms and waiting patients.
type waiting struct {
	*program
	site  site.ID
	rooms []site.RoomID
}

func (p *program) waiting() *waiting {
	p.t.Helper()
	w := &waiting{program: p}
	var err error
	w.site, err = p.Desk.AddSite(p.t.Context(), commands.AddSite{Tenant: elm, Name: "Main building"})
	testworld.Must(p.t, err)
	for _, name := range []string{"Room 1", "Nurse’s room"} {
		room, err := p.Desk.AddRoom(p.t.Context(), commands.AddRoom{Tenant: elm, Site: w.site, Name: name})
		testworld.Must(p.t, err)
		w.rooms = append(w.rooms, room)
	}
	return w
}

// calls calls a patient in, a second later.
func (w *waiting) calls(name string, room site.RoomID) appointment.ID {
	w.t.Helper()
	id, err := w.Desk.RegisterPatient(w.t.Context(), commands.RegisterPatient{Tenant: elm, Name: name})
	testworld.Must(w.t, err)
	booked, err := w.Desk.BookAppointment(w.t.Context(), commands.BookAppointment{Tenant: elm, Patient: id, Site: w.site, At: w.Now()})
	testworld.Must(w.t, err)
	w.Clock.Pass(time.Second)
	testworld.Must(w.t, w.Desk.CallInPatient(w.t.Context(), commands.CallInPatient{Tenant: elm, Appointment: booked, Room: room}))
	return booked
}

// adds adds a display with this naming, and returns its link.
func (b *tab) adds(p *program, naming string) string {
	b.t.Helper()
	b.open(p.page(elm, "displays?add"))
	b.do(chromedp.SetValue("#name", "Waiting room, "+naming), chromedp.Click(`input[value="`+naming+`"]`))
	b.press("Add")
	b.titled("Open this link on the screen")
	return b.handed()
}

// waits waits until the page shows a text, without a reload.
func (b *tab) waits(text string) {
	b.t.Helper()
	b.do(chromedp.WaitVisible(fmt.Sprintf(`//main//*[normalize-space(text()) = %q]`, text)))
}

// hangs looks at the board on a phone and on a television.
func (b *tab) hangs(name string) {
	b.t.Helper()
	for _, width := range []int64{390, 1920} {
		b.do(chromedp.EmulateViewport(width, min(width, 1080)))
		if got := js[int64](b, `document.documentElement.scrollWidth`); got > width {
			b.t.Errorf("%s is %d pixels wide on a screen of %d", name, got, width)
		}
		b.look(fmt.Sprintf("%s-%d", name, width))
	}
}

// A manager adds a display and opens its link on the screen. It follows the call-ins,
// also without a script, and is dark once the display is removed.
func TestBrowserIsAScreenInTheWaitingRoom_D88(t *testing.T) {
	t.Parallel()
	p, manager, screen := start(t), newTab(t), newTab(t)
	manager.open(p.page(elm, "displays"))
	manager.signIn("dr.may", password)
	manager.open(p.page(elm, "displays?add"))
	manager.shows("Add a site first")
	w := p.waiting()
	manager.open(p.page(elm, "displays?add"))
	manager.press("Add")
	manager.shows("Give the screen a name")
	manager.fits("displays-wrong")
	link := manager.adds(p, "full-name")
	manager.look("displays-handed")

	screen.open(link)
	if at := screen.at().Path; at != "/elm-street/staff/displays/link" {
		t.Errorf("the secret stays in the address %s", at)
	}
	screen.look("displays-link")
	screen.press("Show the board")
	screen.shows("Your name will be shown here when you are called.")
	plain := newTab(t)
	plain.withoutScript()
	plain.open(manager.adds(p, "initials"))
	plain.press("Show the board")
	plain.shows("Your initials will be shown here when you are called.")
	w.calls("Ann Archer", w.rooms[0])
	screen.waits("Ann Archer")
	w.calls("Bartholomew Featherstonehaugh-Cholmondeley", w.rooms[1])
	screen.waits("Bartholomew Featherstonehaugh-Cholmondeley")
	last := w.calls("王小明", site.RoomID{})
	screen.waits("王小明")
	screen.hangs("board-names")
	testworld.Must(t, p.Desk.ClearCallIn(t.Context(), commands.ClearCallIn{Tenant: elm, Appointment: last}))
	screen.do(chromedp.WaitNotPresent(`//main//*[normalize-space(text()) = "王小明"]`))
	screen.quiet()

	stranger := newTab(t)
	stranger.open(screen.at().String())
	stranger.shows("This screen is not connected")
	stranger.open(link)
	stranger.shows("This link cannot be used")

	manager.open(p.page(elm, "displays"))
	manager.shows("Last shown at 1:00pm on Wednesday 1 July")
	manager.look("displays")
	manager.press("Remove") // the first: full-name comes before initials
	manager.shows("It is now blank.")
	screen.waits("This screen is not connected")
	plain.waits("A A") // within 15 s
	if page := ask(plain, chromedp.OuterHTML("html")); strings.Contains(page, "Archer") {
		t.Errorf("the page says too much:\n%s", page)
	}
	manager.quietBut("400") // the form without a name
	stranger.quietBut("403", "404")
	screen.quietBut("403") // dark once its display is removed
}
