package staffweb

import (
	"slices"

	"frontdesk/adapters/staffweb/applications"
	"frontdesk/adapters/staffweb/board"
	"frontdesk/adapters/staffweb/day"
	"frontdesk/adapters/staffweb/displays"
	"frontdesk/adapters/staffweb/live"
	"frontdesk/adapters/staffweb/opening"
	"frontdesk/adapters/staffweb/pagekit"
	"frontdesk/adapters/staffweb/patients"
	"frontdesk/adapters/staffweb/privacy"
	"frontdesk/adapters/staffweb/requests"
	"frontdesk/adapters/staffweb/sites"
	"frontdesk/projections"
)

// sections are the pages for a practice's daily work, each with its dependencies.
func (p *Pages) sections() []pagekit.Route {
	appointments := projections.Appointments{DB: p.DB, Opens: p.Opens}
	places := projections.Sites{DB: p.DB}
	given := projections.GivenAuthorisations{DB: p.DB}
	asked := projections.Requests{DB: p.DB, Opens: p.Opens}
	people := projections.People{DB: p.DB}
	directory := projections.Directory{DB: p.DB}
	records := projections.Patients{DB: p.DB}
	return slices.Concat(
		(&requests.Section{
			Site: p.Site, Inbox: projections.Inbox{DB: p.DB}, Requests: asked, People: people,
			Directory: directory, Records: records, Book: p.Book, Files: p.Files,
		}).Routes(),
		(&patients.Section{
			Site: p.Site, Book: p.Book, Searches: p.Searches, Patients: records,
			Records: projections.CareRecords{DB: p.DB, Opens: p.Opens}, Timeline: projections.Timeline{DB: p.DB},
			Requests: asked, Appointments: appointments, Directory: directory,
		}).Routes(),
		(&day.Section{Site: p.Site, Appointments: appointments, Sites: places}).Routes(),
		(&opening.Section{Site: p.Site, Availability: projections.Availability{DB: p.DB}}).Routes(),
		(&sites.Section{Site: p.Site, Sites: places}).Routes(),
		(&applications.Section{
			Site: p.Site, Offers: projections.Offers{DB: p.DB}, Given: given, Healths: projections.Healths{DB: p.DB}, Why: p.WhyUndelivered,
		}).Routes(),
		(&privacy.Section{
			Site: p.Site, Traces: projections.Traces{DB: p.DB, Opens: p.Opens}, Asked: projections.ErasureRequests{DB: p.DB}, Done: projections.Erasures{DB: p.DB},
			People: people, Directory: directory, Book: p.Book, Service: p.Privacy,
		}).Routes(),
		(&displays.Section{Site: p.Site, Displays: projections.Displays{DB: p.DB}, Sites: places}).Routes(),
		(&board.Section{Site: p.Site, Hub: p.Live, Board: projections.CallInBoard{DB: p.DB, Names: p.Names}}).Routes(),
		(&live.Section{Site: p.Site, Hub: p.Live}).Routes(),
	)
}
