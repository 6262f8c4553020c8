package staffweb

import (
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"frontdesk/adapters/staffweb/account"
	"frontdesk/adapters/staffweb/applications"
	"frontdesk/adapters/staffweb/authorisations"
	"frontdesk/adapters/staffweb/board"
	"frontdesk/adapters/staffweb/day"
	"frontdesk/adapters/staffweb/displays"
	"frontdesk/adapters/staffweb/help"
	"frontdesk/adapters/staffweb/live"
	"frontdesk/adapters/staffweb/opening"
	"frontdesk/adapters/staffweb/overview"
	"frontdesk/adapters/staffweb/pagekit"
	"frontdesk/adapters/staffweb/patients"
	"frontdesk/adapters/staffweb/people"
	"frontdesk/adapters/staffweb/privacy"
	"frontdesk/adapters/staffweb/requests"
	"frontdesk/adapters/staffweb/sites"
	"frontdesk/projections"
	reads "frontdesk/projections/applications"
	"frontdesk/projections/directory"
	"frontdesk/projections/history"
	"frontdesk/projections/patientindex"
)

// Pages serves the staff pages. All fields are needed.
type Pages struct {
	*pagekit.Site
	Live *live.Hub

	DB           projections.Querier // for the read models
	Opens        projections.Opener
	PatientIndex *patientindex.Index
	// Searches stores the results of searches.
	Searches patients.Searches
	// Filters stores the filters that members have saved.
	Filters requests.SavedFilters
	// WhyUndelivered explains a failure of a webhook in a sentence.
	WhyUndelivered func(reason string) string
	Files          requests.Files
	Answers        requests.Answers
	Privacy        privacy.Service
}

// Handler routes to the pages and sets the limits of each request.
func (p *Pages) Handler() http.Handler { return p.Site.Handler(p.routes()) }

// routes are all paths: the first page, and those of each section with its dependencies.
func (p *Pages) routes() []pagekit.Route {
	home := pagekit.Methods{http.MethodGet: pagekit.Public(p.home)}
	appointments := projections.Appointments{DB: p.DB}
	places := projections.Sites{DB: p.DB}
	given := reads.Authorisations{DB: p.DB}
	asked := history.Requests{DB: p.DB, Opens: p.Opens}
	erasures := projections.ErasureRequests{DB: p.DB}
	members := projections.People{DB: p.DB}
	directory := directory.Names{DB: p.DB}
	records := projections.Patients{DB: p.DB}
	contacts := projections.Contacts{DB: p.DB, Opens: p.Opens}
	own := &account.Section{Site: p.Site, People: members, History: history.Accounts{DB: p.DB}, Own: history.Own{DB: p.DB}}
	p.Gate = own
	return slices.Concat(
		[]pagekit.Route{pagekit.NewRoute("", "home", home), pagekit.NewRoute("/", "home", home)},
		own.Routes(),
		(&authorisations.Section{Site: p.Site, Approvals: reads.Approvals{DB: p.DB}, Given: given}).Routes(),
		(&people.Section{Site: p.Site, People: members, Teams: projections.Teams{DB: p.DB}, SignIns: projections.SignIns{DB: p.DB}, Requested: erasures, PasskeyRules: history.PasskeyRules{DB: p.DB}}).Routes(),
		(&requests.Section{
			Site: p.Site, Inbox: projections.Inbox{DB: p.DB}, Requests: asked, Templates: projections.NoteTemplates{DB: p.DB}, Teams: projections.Teams{DB: p.DB}, Filters: p.Filters,
			Directory: directory, Records: records, Contacts: contacts, PatientIndex: p.PatientIndex, Files: p.Files, Answers: p.Answers,
		}).Routes(),
		(&patients.Section{
			Site: p.Site, PatientIndex: p.PatientIndex, Searches: p.Searches, Patients: records, Contacts: contacts,
			Records: projections.CareRecords{DB: p.DB, Opens: p.Opens}, Timeline: projections.Timeline{DB: p.DB},
			Inbox: projections.Inbox{DB: p.DB}, Appointments: appointments, Directory: directory,
		}).Routes(),
		(&day.Section{Site: p.Site, Appointments: appointments, Histories: history.Appointments{DB: p.DB, Opens: p.Opens}, Sites: places, Availability: projections.Availability{DB: p.DB}, People: members, Directory: directory}).Routes(),
		(&overview.Section{Site: p.Site, Counts: projections.Overview{DB: p.DB}, Teams: projections.Teams{DB: p.DB}, Availability: projections.Availability{DB: p.DB}}).Routes(),
		(&opening.Section{Site: p.Site, Availability: projections.Availability{DB: p.DB}}).Routes(),
		(&sites.Section{Site: p.Site, Sites: places}).Routes(),
		(&applications.Section{
			Site: p.Site, Directory: reads.Directory{DB: p.DB}, Given: given, Monitor: reads.Monitor{DB: p.DB}, ExplainFailure: p.WhyUndelivered,
		}).Routes(),
		(&privacy.Section{
			Site: p.Site, Traces: history.Accesses{DB: p.DB, Opens: p.Opens}, Asked: erasures, Done: projections.Erasures{DB: p.DB},
			People: members, Directory: directory, Contacts: contacts, PatientIndex: p.PatientIndex, Service: p.Privacy,
		}).Routes(),
		(&displays.Section{Site: p.Site, Displays: projections.Displays{DB: p.DB}, Sites: places}).Routes(),
		(&board.Section{Site: p.Site, Hub: p.Live, CallIns: projections.CallIns{DB: p.DB, Names: p.Names}}).Routes(),
		(&live.Section{Site: p.Site, Hub: p.Live}).Routes(),
		(&help.Section{Site: p.Site}).Routes(),
	)
}

// home redirects to the first page that the member's roles allow.
func (p *Pages) home(r *pagekit.Request) error {
	if !r.SignedIn {
		return r.RedirectToSignIn()
	}
	return r.Redirect(r.Base() + pagekit.Home(r.Session.Roles))
}

// ErrURL refuses an address that browsers could not use for the pages.
var ErrURL = errors.New("the address of the staff pages must be https://HOST or, on loopback, http://HOST:PORT, with nothing after it")

// ParseURL parses the base address of the pages, or returns [ErrURL].
func ParseURL(address string) (*url.URL, error) {
	u, err := url.Parse(address)
	if err != nil || u.Hostname() == "" || u.User != nil || strings.Trim(u.Path, "/") != "" || u.RawQuery != "" || u.Fragment != "" ||
		u.Scheme != "https" && u.Scheme != "http" {
		return nil, ErrURL
	}
	return u, nil
}
