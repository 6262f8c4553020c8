package subjectaccess

import (
	"archive/zip"
	"embed"
	"fmt"
	"html/template"
	"iter"
	"slices"
	"time"

	"frontdesk/projections"
)

//go:embed *.html
var sources embed.FS

//go:embed style.css
var style string

// pages has the page and the letter. Lists are written as they are read.
var pages = template.Must(template.New("pages").Funcs(template.FuncMap{
	"day": day, "size": size,
	"mark":    func(p page, m *projections.InError) marked { return marked{p, m} },
	"history": func(p page, e iter.Seq[act]) actList { return actList{p, e} },
}).ParseFS(sources, "*.html"))

// page writes the page.
func (w *writer) page() error { return w.render("index.html", "page.html") }

// render writes a file of the ZIP from a template.
func (w *writer) render(name, template string) error {
	entry, err := w.create(name, zip.Deflate)
	if err != nil {
		return err
	}
	return pages.ExecuteTemplate(entry, template, page{w})
}

// page is the data of the template.
type page struct{ w *writer }

// Style returns the style of the page, which is inline.
func (page) Style() template.CSS { return template.CSS(style) }

// Practice returns the practice's name.
func (p page) Practice() string { return p.w.Practice.Name }

// MadeAt returns when the page was made.
func (p page) MadeAt() time.Time { return p.w.MadeAt }

// Patient returns the patient's details as they are now.
func (p page) Patient() details {
	if all := p.w.Details; len(all) > 0 {
		return all[len(all)-1]
	}
	return details{Patient: p.w.Patient}
}

// Information yields the practice's texts for patients.
func (p page) Information() iter.Seq[informed] { return p.w.information() }

// Version returns the version of these texts; 0 for the default ones.
func (p page) Version() int { return p.w.Texts.Version }

// Earlier yields the details of before, newest first.
func (p page) Earlier() []details {
	earlier := slices.Clone(p.w.Details[:max(len(p.w.Details)-1, 0)])
	slices.Reverse(earlier)
	return earlier
}

// Damaged returns how many files are not in the pack.
func (p page) Damaged() int { return len(p.w.damaged) }

// Each of these yields a part of the pack.

// Notes yields the notes.
func (p page) Notes() iter.Seq[projections.NoteJSON] { return p.w.notes() }

// Requests yields the patient requests.
func (p page) Requests() iter.Seq[projections.RequestJSON] { return p.w.requests() }

// Moved yields the requests that were taken to be the patient's.
func (p page) Moved() iter.Seq[movedRequest] { return p.w.moved() }

// Handling yields what the practice did about patient requests.
func (p page) Handling() iter.Seq[act] { return p.w.ofRequests() }

// Protection yields what the practice did about the patient's data as a whole.
func (p page) Protection() iter.Seq[act] { return p.w.ofData() }

// Visits yields the events of appointments.
func (p page) Visits() iter.Seq[visit] { return p.w.visits() }

// Consultations yields the consultations.
func (p page) Consultations() iter.Seq[projections.ConsultationJSON] { return p.w.consultations() }

// Accesses yields the accesses to the data.
func (p page) Accesses() iter.Seq[accessed] { return p.w.accesses() }

// AnyDeliveries reports whether there are any webhooks.
func (p page) AnyDeliveries() bool {
	for range p.w.deliveries() {
		return true
	}
	return false
}

// Deliveries yields the webhooks.
func (p page) Deliveries() iter.Seq[delivery] { return p.w.deliveries() }

// Date returns the day on which the pack was made.
func (p page) Date() string { return p.w.MadeAt.In(p.w.Practice.Zone).Format("2 January 2006") }

// When returns an instant by the practice's clocks.
func (p page) When(at time.Time) string { return p.w.when(at) }

func (w *writer) when(at time.Time) string {
	return at.In(w.Practice.Zone).Format("2 January 2006, 15:04")
}

// marked is the template's data for an entry that was entered in error.
type marked struct {
	Page page
	Mark *projections.InError
}

// actList is the template's data for a list of acts.
type actList struct {
	Page page
	Acts iter.Seq[act]
}

// day returns a date for people. A text that is no date is returned as it is.
func day(date string) string {
	on, err := time.Parse(time.DateOnly, date)
	if err != nil {
		return date
	}
	return on.Format("2 January 2006")
}

// size returns a number of bytes as people read it.
func size(bytes int64) string {
	const kilobyte, megabyte = 1_000, 1_000_000
	if bytes < megabyte {
		return fmt.Sprintf("%d kB", max(bytes/kilobyte, 1))
	}
	return fmt.Sprintf("%.1f MB", float64(bytes)/megabyte)
}
