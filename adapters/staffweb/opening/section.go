package opening

import (
	"embed"
	"net/http"
	"net/url"
	"slices"
	"time"

	"frontdesk/adapters/staffweb/pagekit"
	"frontdesk/domain/practice"
	"frontdesk/domain/request"
	"frontdesk/domain/staff"
	"frontdesk/projections"
)

//go:embed templates
var sources embed.FS

var templates = pagekit.Templates(sources, "opening", "type", "close", "reopen", "check")

// Section is the pages about the practice's opening.
type Section struct {
	*pagekit.Site
	Availability projections.Availability
}

// Routes are the paths of the section.
func (s *Section) Routes() []pagekit.Route {
	of := func(form pagekit.Page) pagekit.Methods {
		return pagekit.Methods{http.MethodGet: pagekit.Requires(staff.ManageOpening, form)}
	}
	return []pagekit.Route{
		pagekit.NewRoute("/opening", "opening", pagekit.FormMethods(staff.ManageOpening, s.overview, s.change)),
		pagekit.NewRoute("/opening/type/{type}", "opening-type", of(s.typeForm)),
		pagekit.NewRoute("/opening/close", "opening-close", of(s.closeForm)),
		pagekit.NewRoute("/opening/reopen", "opening-reopen", of(s.reopenForm)),
	}
}

// form is a page with a form for a change.
type form struct {
	pagekit.FormErrors
	Now    []seenNow // of the types of the form
	Zone   string
	Typed  url.Values
	Token  string
	Type   request.Type // "" on a page about all types
	Intake practice.Intake
	Paused bool // by a pause that has not ended
	Week   []weekday
}

// Value is the typed value of a field.
func (f form) Value(field string) string { return f.Typed.Get(field) }

// Chose reports whether a choice was made.
func (f form) Chose(field, value string) bool { return f.Typed.Get(field) == value }

// formOf is a form without typed values.
func (s *Section) formOf(r *pagekit.Request, found practice.Receptions, types ...request.Type) form {
	return form{Now: s.seenNow(found, types...), Zone: found.Zone.String(), Typed: url.Values{}, Token: r.Token(purpose)}
}

// purpose is the purpose of the section's form tokens.
const purpose = "opening"

// typeForm shows one type, and its possible changes.
func (s *Section) typeForm(r *pagekit.Request) error {
	typ := request.Type(r.PathValue("type"))
	if !slices.Contains(request.Types(), typ) {
		return pagekit.ErrNotFound
	}
	found, err := s.Availability.Receptions(r.Context(), r.Tenant)
	if err != nil {
		return err
	}
	s.showType(r, http.StatusOK, found, typ, url.Values{}, pagekit.FormErrors{})
	return nil
}

// showType shows it with the typed values.
func (s *Section) showType(r *pagekit.Request, status int, found practice.Receptions, typ request.Type, typed url.Values, wrong pagekit.FormErrors) {
	of := found.Reception(typ)
	page := s.formOf(r, found, typ)
	page.Type, page.Intake, page.Paused = typ, of.Intake, of.Intake.IsPaused(s.Now())
	page.Typed, page.FormErrors = typed, wrong
	if typed.Get("do") != "hours" {
		page.Typed = withWeek(typed, of.Intake.Hours)
	}
	page.Week = weekOf(page.Typed, wrong)
	s.Show(r, pagekit.View{Template: templates["type"], Status: status, Title: page.PageTitle(typeNames[typ]), Content: page})
}

// closeForm asks for the beginning and the end of a closure.
func (s *Section) closeForm(r *pagekit.Request) error {
	return s.showForAll(r, "close", http.StatusOK, url.Values{}, pagekit.FormErrors{})
}

// reopenForm asks for a new end of a closure.
func (s *Section) reopenForm(r *pagekit.Request) error {
	return s.showForAll(r, "reopen", http.StatusOK, url.Values{}, pagekit.FormErrors{})
}

var formTitles = map[string]string{"close": "Close the practice", "reopen": "Open again earlier"}

func (s *Section) showForAll(r *pagekit.Request, name string, status int, typed url.Values, wrong pagekit.FormErrors) error {
	found, err := s.Availability.Receptions(r.Context(), r.Tenant)
	if err != nil {
		return err
	}
	page := s.formOf(r, found, request.Types()...)
	page.Typed, page.FormErrors = typed, wrong
	s.Show(r, pagekit.View{Template: templates[name], Status: status, Title: page.PageTitle(formTitles[name]), Content: page})
	return nil
}

// overviewPage is the first page of the section.
type overviewPage struct {
	Done     string // the last action; "" for none
	Now      []seenNow
	Closures []closureRow
	Closed   bool // a closure covers now
	Zone     string
	Token    string
}

// closureRow is a closure that has not ended.
type closureRow struct {
	From, Until string // Until is "" if it has no end
	Begins      string // for the form that ends it
	Lasts       bool   // it has begun
}

// overview shows the current view of patients, and what will change it.
func (s *Section) overview(r *pagekit.Request) error {
	found, err := s.Availability.Receptions(r.Context(), r.Tenant)
	if err != nil {
		return err
	}
	page := overviewPage{
		Done: doneTexts[r.Form.Get("done")], Now: s.seenNow(found, request.Types()...), Zone: found.Zone.String(), Token: r.Token(purpose),
	}
	now := s.Now()
	for _, c := range found.Closures {
		if c.Until.IsZero() || c.Until.After(now) {
			page.Closures = append(page.Closures, rowOf(c, now, found.Zone))
			page.Closed = page.Closed || c.Covers(now)
		}
	}
	s.Show(r, pagekit.View{Template: templates["opening"], Status: http.StatusOK, Title: "Opening hours", Content: page})
	return nil
}

func rowOf(c practice.Span, now time.Time, zone *time.Location) closureRow {
	row := closureRow{From: when(c.From, now, zone), Begins: c.From.Format(time.RFC3339Nano), Lasts: c.Covers(now)}
	if !c.Until.IsZero() {
		row.Until = when(c.Until, now, zone)
	}
	return row
}
