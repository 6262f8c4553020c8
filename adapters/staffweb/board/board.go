package board

import (
	"context"
	"embed"
	"net/http"

	"frontdesk/adapters/staffweb/live"
	"frontdesk/adapters/staffweb/pagekit"
	"frontdesk/domain/display"
	"frontdesk/domain/event"
	"frontdesk/domain/parse"
	"frontdesk/domain/patient"
	"frontdesk/projections"
)

// Section is the board, and its stream of changes.
type Section struct {
	*pagekit.Site
	Hub     *live.Hub
	CallIns projections.CallIns
}

//go:embed templates
var sources embed.FS

var templates = pagekit.Templates(sources, "board")

// Routes returns the board of a site. A screen has access to no other page.
func (s *Section) Routes() []pagekit.Route {
	return []pagekit.Route{
		pagekit.NewRoute("/board/{site}", "board", pagekit.Methods{http.MethodGet: pagekit.ScreenOnly(s.show)}),
		pagekit.NewRoute("/board/{site}/events", "board-events", pagekit.Methods{http.MethodGet: pagekit.ScreenOnly(s.follow)}),
	}
}

// Path is the path of a display's board, below the practice's pages.
func Path(of projections.Display) string { return "/board/" + of.Site.String() }

// boardPage is the content of a screen.
type boardPage struct {
	Site   string
	Topic  string // its stream
	Path   string
	Wait   string // the hint for people in the waiting room
	Called []projections.CallIn
}

// waitHints are the hints by naming.
var waitHints = map[display.Naming]string{
	display.FullName: "No one at the moment. Your name will be shown here when you are called.",
	display.Initials: "No one at the moment. Your initials will be shown here when you are called.",
	display.Number:   "No one at the moment. Your number will be shown here when you are called.",
}

// mostCalledIn limits the lines of a board, so that they can be read from a distance.
const mostCalledIn = 12

// show shows the call-ins, newest first, as a page or as a fragment.
func (s *Section) show(r *pagekit.Request) error {
	if !isDisplaySite(r) {
		return pagekit.ErrNoScreen
	}
	if err := s.NoteHead(r); err != nil {
		return err
	}
	of := r.Display
	today, _, _ := parse.Day(s.Today(r), r.Practice.Zone)
	called, err := s.CallIns.Current(r.Context(), r.Tenant, of.Site, of.Naming, today, mostCalledIn)
	if err != nil {
		return err
	}
	s.recordShown(r, called)
	view := pagekit.View{Template: templates["board"], Status: http.StatusOK, Title: "Now calling", Script: pagekit.Live, Content: boardPage{
		Site: of.SiteName, Topic: topicOf(of).String(), Path: Path(of), Wait: waitHints[of.Naming], Called: called,
	}}
	if r.Form.Has("fragment") {
		view.Fragment = "called"
	}
	s.Show(r, view)
	return nil
}

// follow streams changes to the screen, until the display is removed. Unlike for a
// member of staff, this counts as activity.
func (s *Section) follow(r *pagekit.Request) error {
	if !isDisplaySite(r) {
		return pagekit.ErrNoScreen
	}
	token := r.CookieValue(s.ScreenCookie(r, ""))
	still := func(ctx context.Context) (bool, error) {
		_, found, err := s.Auth.Screens.Find(ctx, r.Tenant, token)
		return found, err
	}
	return s.Hub.Respond(r, actorOf(r).String(), still, topicOf(r.Display))
}

// topicOf is the topic of a display's screen.
func topicOf(d projections.Display) live.Topic { return live.Topic{Kind: live.Board, Site: d.Site} }

// actorOf is the display as the actor of a look.
func actorOf(r *pagekit.Request) event.Actor { return event.Display(r.Display.Display.UUID) }

// isDisplaySite reports whether the address has the display's site.
func isDisplaySite(r *pagekit.Request) bool {
	id, ok := parse.ID(r.PathValue("site"))
	return ok && id == r.Display.Site.UUID
}

// recordShown adds the patients that the screen shows to the access record, with the
// display, if there are any.
func (s *Section) recordShown(r *pagekit.Request, called []projections.CallIn) {
	if len(called) == 0 {
		return
	}
	shown := make([]patient.ID, len(called))
	for n, c := range called {
		shown[n] = c.Patient
	}
	s.RecordShown(r, actorOf(r).String(), shown...)
}
