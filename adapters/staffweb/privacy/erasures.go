package privacy

import (
	"net/http"
	"time"

	"github.com/google/uuid"

	"frontdesk/adapters/staffweb/pagekit"
	"frontdesk/domain/erasure"
	"frontdesk/domain/event"
	"frontdesk/domain/parse"
	"frontdesk/projections"
)

// mostErasures is the page size of the list.
const mostErasures = 25

// erasuresPage is the list of erasures.
type erasuresPage struct {
	Rows    []erasureRow
	Older   string // the last row, if older ones follow
	Further bool   // the page does not begin with the newest
}

// erasureRow is one erasure in the list and in its letter.
type erasureRow struct {
	ID       erasure.ID
	Kind     string // "Patient"
	Person   uuid.UUID
	At       string
	Basis    string // "" if it is not in the log
	Final    bool
	State    string // a sentence
	Restored bool   // it was repeated after a backup was restored
}

var erasedKinds = map[event.HolderKind]string{event.OfPatient: "Patient", event.OfStaff: "Member of staff", event.OfPractitioner: "Practitioner"}

func rowOfErasure(r *pagekit.Request, d projections.CompletedErasure) erasureRow {
	moment := func(at time.Time) string { return pagekit.Moment(at, r.Practice.Zone) }
	return erasureRow{
		ID: d.Erasure, Kind: erasedKinds[d.Kind], Person: d.Holder, At: moment(d.ErasedAt), Basis: d.Basis.Words(),
		Final: d.Finality.Final(), State: d.Finality.Sentence(moment), Restored: d.Basis == erasure.Restored,
	}
}

// erasures lists the erasures of the practice.
func (s *Section) erasures(r *pagekit.Request) error {
	before, err := cursor(r, "before")
	if err != nil {
		return err
	}
	done, err := s.Done.Done(r.Context(), r.Tenant, erasure.ID{UUID: before}, mostErasures+1)
	if err != nil {
		return err
	}
	page := erasuresPage{Further: before != uuid.Nil}
	if len(done) > mostErasures {
		done = done[:mostErasures]
		page.Older = done[mostErasures-1].Erasure.String()
	}
	for _, d := range done {
		page.Rows = append(page.Rows, rowOfErasure(r, d))
	}
	s.Show(r, pagekit.View{Template: templates["erasures"], Status: http.StatusOK, Title: "Erasures", Content: page})
	return nil
}

// letterPage is the letter that confirms an erasure.
type letterPage struct {
	erasureRow
	Done  bool // the erasure has just been confirmed
	Today string
}

var errNoErasure = pagekit.NewErrorPage(http.StatusNotFound, "There is no such erasure", "This practice has no erasure with this identifier.", "Go back to the list of erasures.")

// letter shows the letter that confirms an erasure, for printing.
func (s *Section) letter(r *pagekit.Request) error {
	id, ok := parse.ID(r.PathValue("erasure"))
	if !ok {
		return errNoErasure
	}
	d, found, err := s.Done.DoneOf(r.Context(), r.Tenant, id)
	switch {
	case err != nil:
		return err
	case !found:
		return errNoErasure
	}
	page := letterPage{rowOfErasure(r, d), r.Form.Get("done") != "", pagekit.Moment(s.Now(), r.Practice.Zone)}
	s.Show(r, pagekit.View{Template: templates["letter"], Status: http.StatusOK, Title: "Erasure", Content: page})
	return nil
}
