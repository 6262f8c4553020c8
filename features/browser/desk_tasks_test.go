package browser_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"frontdesk/adapters/clock"
	"frontdesk/adapters/postgres/postgrestest"
	"frontdesk/cmd/frontdesk/testworld"
	"frontdesk/docs/practice"
)

// task is something that staff do many times a day, from the page where it begins.
type task struct {
	name  string
	who   string // "" for someone who is not signed in
	begin string // the page
	most  cost   // the goal; zero for none
	steps func(*desk)
}

// Names of buttons, links and fields are regular expressions for their beginning.
var tasks = []task{
	{"read the first request, from the bare address", "", "", cost{}, func(d *desk) {
		d.enter("robin.reed")
		d.firstRequest()
	}},
	{"handle one request, and go back", "robin.reed", "/requests", cost{}, func(d *desk) {
		d.firstRequest()
		d.handle("Complete the request")
		d.goTo("Back to ")
	}},
	{"handle 20 requests", "robin.reed", "/requests", cost{clicks: 62, loads: 40, scrolls: 0, typed: 1 << 20}, func(d *desk) {
		d.firstRequest()
		for range 20 {
			d.handle("Complete and open the next")
			d.passRestricted()
		}
	}},
	{"find a patient by a part of their name", "robin.reed", "/requests", cost{}, func(d *desk) { d.search("Adeyemi") }},
	{"book for someone who calls", "robin.reed", "/requests", cost{}, func(d *desk) {
		d.search("Adeyemi")
		d.goTo("Zoë Adeyemi")
		d.goTo("Book an appointment")
		d.choose("Site", ".*Mill Lane")
		d.date(clock.System().AddDate(0, 0, 3))
		d.write("Time", "10:20")
		d.goTo("Book$")
		d.shows("The appointment is booked.")
	}},
	{"move for someone who calls", "robin.reed", "/requests", cost{clicks: 5, loads: 5, scrolls: 1, typed: 99}, func(d *desk) {
		d.search("Bill Baker")
		d.goTo("Bill Baker")
		d.goTo("Move")
		d.date(clock.System().AddDate(0, 0, 4))
		d.write("Time", "15:40")
		d.goTo("Move")
		d.shows("The appointment is moved.")
	}},
	{"cancel for someone who calls", "robin.reed", "/requests", cost{clicks: 5, loads: 5, scrolls: 1, typed: 99}, func(d *desk) {
		d.search("Ann Archer")
		d.goTo("Ann Archer")
		d.goTo("cancel")
		d.goTo("Cancel")
		d.shows("The appointment is cancelled.")
	}},
	{"choose a room, mark as arrived, call in, start", "alex.hughes", "/day", cost{}, func(d *desk) {
		d.choose("Your room", "Room 2")
		d.goTo("Show")
		d.goTo("Arrived")
		d.goTo("Call in")
		d.goTo("Start")
		d.goTo("Start")
		d.shows("The consultation has started.")
	}},
	{"clinician: to their own site and room", "alex.hughes", "/requests", cost{}, func(d *desk) {
		d.goTo("Appointments")
		d.choose("Site", ".*Mill Lane")
		d.goTo("Show")
		d.choose("Your room", "Room B")
		d.goTo("Show")
	}},
	{"open a restricted record with a reason", "alex.hughes", "/requests", cost{}, func(d *desk) {
		d.search("Dana Drew")
		d.goTo("Dana Drew")
		d.write("(Why|Reason)", "She rang with chest pain; I need her medicines.")
		d.goTo("Open the record")
	}},
	{"add a screen", "sam.taylor", "/requests", cost{}, func(d *desk) {
		d.goTo("Waiting room screens")
		d.goTo("Add a screen")
		d.write("Name", "Main waiting room")
		d.pick(".*Mill Lane")
		d.pick("By ")
		d.goTo("Add$")
	}},
	{"read an application's health", "sam.taylor", "/requests", cost{}, func(d *desk) {
		d.goTo("Connected apps")
		d.goTo("Sandbox application")
	}},
	{"reset a colleague's password", "sam.taylor", "/people", cost{}, func(d *desk) {
		d.goTo("Kit Marsh")
		d.goTo("Reset$")
	}},
	{"see who looked at a record", "jo.price", "/privacy", cost{}, func(d *desk) {
		d.write("Name", "Dana Drew")
		d.goTo("Find")
		d.goTo("Dana Drew")
	}},
	{"move a request to another patient", "robin.reed", "/requests", cost{}, func(d *desk) {
		d.firstRequest()
		d.goTo("Move to another patient")
		d.write("Find the patient", "Adeyemi")
		d.goTo("Find$")
		d.pick("Zoë Adeyemi")
		d.write("(Why|Reason)", "The wrong person was chosen")
		d.goTo("Move the request")
	}},
}

func (d *desk) firstRequest() {
	d.t.Helper()
	d.goTo(".*, (Medical|Admin).*, received ")
	d.passRestricted()
}

// passRestricted goes on to the next request if the record of this one is closed.
func (d *desk) passRestricted() {
	d.t.Helper()
	for strings.Contains(d.page(), "This patient’s record is restricted") {
		d.goTo("Next request")
	}
}

func (d *desk) handle(how string) {
	d.t.Helper()
	d.write("Note", "Rang: see the pharmacist.")
	d.pick("Signposted")
	d.goTo(how)
}

func (d *desk) search(name string) {
	d.t.Helper()
	d.write("Find a patient", name)
	d.pressEnter()
}

var updateDesk = flag.Bool("update-desk", false, "record what the tasks of a desk cost in testdata/desk.tsv")

// busySandbox starts `frontdesk sandbox start --seed busy`.
func busySandbox(t *testing.T) *testworld.Sandbox {
	t.Helper()
	s := testworld.NewSandbox(t)
	dir, err := postgrestest.MakeDir()
	testworld.Must(t, err)
	s.Dir, s.Flags = filepath.Join(dir, "busy"), []string{"--seed", "busy"}
	s.Start()
	return s
}

// The tasks of a practice's day cost no more than testdata/desk.tsv says.
func TestBrowserTasksCostNoMore_D154(t *testing.T) {
	t.Parallel()
	s := busySandbox(t)
	first := sitDown(t, s.Info())
	first.enter("robin.reed")
	first.comes(s.Info().PagesURL()+"/requests", "71")
	desks, table := map[string]*desk{"robin.reed": first}, []string{"task\tclicks\tloads\tscrolls\ttyped"}
	for _, task := range tasks {
		d := desks[task.who]
		if d == nil {
			d = sitDown(t, s.Info())
			if desks[task.who] = d; task.who != "" {
				d.enter(task.who)
			}
		}
		t.Run(task.name, func(t *testing.T) {
			d.t = t
			if task.who != "" {
				d.visit(task.begin)
			}
			d.cost = cost{}
			task.steps(d)
			if task.most != (cost{}) && d.exceeds(task.most) {
				t.Errorf("costs %+v, want at most %+v", d.cost, task.most)
			}
		})
		table = append(table, fmt.Sprintf("%s\t%d\t%d\t%d\t%d", task.name, d.clicks, d.loads, d.scrolls, d.typed))
	}
	if t.Failed() {
		return
	}
	const file = "testdata/desk.tsv"
	if *updateDesk {
		testworld.Must(t, os.WriteFile(file, []byte(strings.Join(table, "\n")+"\n"), 0o600))
		return
	}
	recorded, err := os.ReadFile(file)
	testworld.Must(t, err)
	compareCosts(t, strings.Split(strings.TrimSpace(string(recorded)), "\n"), table)
}

var updatePictures = flag.Bool("update-pictures", false, "make the pictures of docs/practice/guide.md")

// The guide's pictures are of the busy practice, at 1280×800.
var guidePictures = []struct {
	name, who string
	begin     string
	steps     func(*desk)
}{
	{"sign-in", "", "/requests", nil},
	{"inbox", "robin.reed", "/requests", nil},
	{"request", "robin.reed", "/requests", (*desk).firstRequest},
	{"patient", "robin.reed", "/requests", func(d *desk) { d.search("Zoë Adeyemi"); d.goTo("Zoë Adeyemi") }},
	{"appointments", "robin.reed", "/day", nil},
	{"screens", "sam.taylor", "/displays", func(d *desk) { d.goTo("Add a screen") }},
	{"opening-hours", "sam.taylor", "/opening", nil},
	{"connected-app", "sam.taylor", "/applications", func(d *desk) { d.goTo("Sandbox application") }},
	{"staff", "sam.taylor", "/people", nil},
	{"sites", "sam.taylor", "/sites", nil},
	{"teams", "sam.taylor", "/teams", nil},
	{"privacy", "jo.price", "/privacy", func(d *desk) { d.write("Name", "Ann Archer"); d.goTo("Find"); d.goTo("Ann Archer") }},
}

func TestBrowserGuidePictures_D154(t *testing.T) {
	t.Parallel()
	for _, p := range guidePictures {
		if !strings.Contains(practice.Guide, "]("+p.name+".png)") {
			t.Errorf("the guide does not show %s", p.name)
		}
	}
	if shown := strings.Count(practice.Guide, ".png)"); shown != len(guidePictures) {
		t.Errorf("the guide shows %d pictures, and this test makes %d", shown, len(guidePictures))
	}
	if !*updatePictures {
		return
	}
	s := busySandbox(t)
	for _, p := range guidePictures {
		d := sitDown(t, s.Info())
		if p.who != "" {
			d.enter(p.who)
		}
		d.visit(p.begin)
		if p.steps != nil {
			p.steps(d)
		}
		testworld.Must(t, os.WriteFile("../../docs/practice/"+p.name+".png", ask(d.tab, chromedp.CaptureScreenshot()), 0o600))
	}
}

// compareCosts fails for each task that costs more than recorded.
func compareCosts(t *testing.T, recorded, table []string) {
	t.Helper()
	if len(recorded) != len(table) {
		t.Fatalf("%d tasks are recorded, want %d: run with -update-desk", len(recorded), len(table))
	}
	for n, line := range table[1:] {
		if now, before := costOf(t, line), costOf(t, recorded[n+1]); now.exceeds(before) {
			t.Errorf("%s: want no more than %+v", line, before)
		}
	}
}

// costOf reads a line of the table.
func costOf(t *testing.T, line string) (c cost) {
	t.Helper()
	_, numbers, _ := strings.Cut(line, "\t")
	if _, err := fmt.Sscanf(numbers, "%d\t%d\t%d\t%d", &c.clicks, &c.loads, &c.scrolls, &c.typed); err != nil {
		t.Fatalf("%s: %v", line, err)
	}
	return c
}
