package pagekit

import (
	"maps"
	"net/http"

	"github.com/google/uuid"

	"frontdesk/domain/access"
	"frontdesk/domain/event"
	"frontdesk/domain/parse"
	"frontdesk/domain/patient"
	"frontdesk/projections"
)

// Patients returns the names of the practice's patients, without unknown and just
// erased ones.
func (s *Site) Patients(r *Request, ids ...patient.ID) (map[patient.ID]projections.PatientName, error) {
	names, err := s.Names.Find(r.Context(), r.Tenant, ids...)
	maps.DeleteFunc(names, func(_ patient.ID, name projections.PatientName) bool { return name.Name == event.Erased })
	return names, err
}

// RecordShown adds to the access record that patients were shown: in a list, a day, on a
// board or by a search. The topic names the page. A page that is fetched again leaves out
// the patients that a recent line of the same session covers; another search is another
// page. A page without patients always has a line.
func (s *Site) RecordShown(r *Request, topic string, patients ...patient.ID) {
	id, err := uuid.Parse(r.ID)
	if err != nil {
		return
	}
	if r.looked {
		id = event.NewID() // each line has its own
	}
	now := s.Now()
	search, _ := parse.SomeID(r.Form.Get("search"))
	page := look{topic: topic, search: search}
	left := s.looks.uncovered(r.viewer(), page, patients, now)
	if fetched := r.HTTP.Method == http.MethodGet; fetched && len(patients) > 0 {
		if patients = left; len(patients) == 0 {
			return
		}
	}
	r.looked = true
	if !s.Record(access.Look(id, now, r.Tenant, r.Session.Staff, topic, patients)) {
		s.looks.forget(r.viewer(), page, left)
	}
}

// viewer identifies the session or the display that a page is shown to.
func (r *Request) viewer() uuid.UUID {
	if r.SignedIn {
		return r.Session.ID
	}
	return r.Display.Display.UUID
}
