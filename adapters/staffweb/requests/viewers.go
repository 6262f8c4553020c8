package requests

import (
	"net/http"
	"time"

	"frontdesk/adapters/staffweb/pagekit"
	"frontdesk/domain/parse"
	"frontdesk/domain/patient"
	"frontdesk/domain/request"
)

// viewedFor is how long an opening counts as looking.
const viewedFor = 5 * time.Minute

// viewer is a colleague who looks at the request.
type viewer struct{ Name, Since string }

// viewersPage is the part of a request's page that says who looks at it.
type viewersPage struct{ Viewers []viewer }

// viewersOf are the colleagues who have opened a request in the last minutes. The member's own
// openings do not count.
func (s *Section) viewersOf(r *pagekit.Request, of patient.ID, id request.ID) (viewers []viewer, err error) {
	found, err := s.Requests.Viewers(r.Context(), r.Tenant, of, id, s.Now().Add(-viewedFor), r.Session.Staff)
	for _, v := range found {
		viewers = append(viewers, viewer{pagekit.Plain(v.Name), s.When(r, v.At)})
	}
	return viewers, err
}

// showViewers shows who looks at a request, for a page that is open. It shows nothing of the
// request, so it is no opening.
func (s *Section) showViewers(r *pagekit.Request) error {
	id, ok := parse.ID(r.PathValue("request"))
	if !ok {
		return errNoRequest
	}
	found, err := s.Inbox.Find(r.Context(), r.Tenant, request.ID{UUID: id})
	if err != nil {
		return orNoRequest(err)
	}
	viewers, err := s.viewersOf(r, found.Patient, found.Request)
	if err != nil {
		return err
	}
	s.Show(r, pagekit.View{Template: templates["request"], Fragment: "viewers", Status: http.StatusOK, Content: viewersPage{viewers}})
	return nil
}
