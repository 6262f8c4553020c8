package patients

import (
	"net/http"
	"strconv"
	"strings"

	"frontdesk/adapters/staffweb/pagekit"
	"frontdesk/commands"
	"frontdesk/domain/event"
	"frontdesk/domain/parse"
	"frontdesk/projections"
)

// timelinePage is a patient's events, with their actors.
type timelinePage struct {
	subject
	Happened []happening
	Older    int64 // the next page begins before it; 0 for none
	Begun    bool  // the page does not begin with the newest
}

type happening struct{ At, Who, What string }

const happeningsShown = 50

// timeline shows a patient's events, newest first. It is part of the record.
func (s *Section) timeline(r *pagekit.Request) error {
	w, err := s.findSubject(r)
	if err != nil {
		return err
	}
	if !s.isOpen(w) {
		return s.showClosed(r, w, http.StatusOK, pagekit.FormErrors{})
	}
	if err := s.Desk.OpenCareRecord(r.StaffContext(), commands.OpenCareRecord{Tenant: r.Tenant, Patient: w.ID}); err != nil {
		return orNoPatient(err)
	}
	before, _ := strconv.ParseInt(r.Form.Get("before"), 10, 64) // anything else is the newest
	found, err := s.Timeline.OfPatient(r.Context(), r.Tenant, w.ID, max(0, before), happeningsShown)
	if err != nil {
		return err
	}
	page := timelinePage{subject: w, Begun: before > 0}
	if len(found) == happeningsShown {
		page.Older = found[len(found)-1].Idx
	}
	if page.Happened, err = s.describe(r, found); err != nil {
		return err
	}
	s.Show(r, pagekit.View{Template: templates["timeline"], Status: http.StatusOK, Title: "Log of a patient", Content: page})
	return nil
}

// describe describes events in words. Each actor is looked up once.
func (s *Section) describe(r *pagekit.Request, found []projections.TimelineEntry) (shown []happening, err error) {
	names := map[string]string{}
	for _, h := range found {
		name, known := names[h.Actor]
		if !known {
			if name, err = s.actor(r, h.Actor); err != nil {
				return nil, err
			}
			names[h.Actor] = name
		}
		shown = append(shown, happening{pagekit.Moment(h.At, r.Practice.Zone), name, h.Kind.Words()})
	}
	return shown, nil
}

// actor returns an actor's name for the timeline.
func (s *Section) actor(r *pagekit.Request, actor string) (name string, err error) {
	kind, of, _ := strings.Cut(actor, ":")
	id, known := parse.ID(of)
	switch event.ActorKind(kind) {
	case event.ByOperator:
		return "An operator of the service", nil
	case event.ByService, event.ByDisplay:
		return "The service", nil
	case event.ByStaff:
		name, err = s.Directory.Staff(r.Context(), r.Tenant, id)
	case event.ByApplication:
		name, err = s.Directory.Application(r.Context(), id)
	}
	if !known || name == "" {
		name = "Former member of staff"
	}
	return name, err
}
