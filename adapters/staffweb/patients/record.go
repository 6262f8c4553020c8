package patients

import (
	"fmt"
	"net/http"
	"slices"
	"time"

	"github.com/google/uuid"

	"frontdesk/adapters/staffweb/pagekit"
	"frontdesk/commands"
	"frontdesk/domain/consultation"
	"frontdesk/domain/parse"
	"frontdesk/domain/patient"
	"frontdesk/domain/record"
	"frontdesk/domain/request"
	"frontdesk/domain/staff"
	"frontdesk/projections"
)

// recordPage is the page of a patient.
type recordPage struct {
	pagekit.FormErrors
	subject
	Done         string // the last action; "" for none
	Restricted   string // those with access to the record; "" if all have access
	Entries      []entry
	Before       uuid.UUID // the page begins after this entry; zero for the newest
	Older        uuid.UUID // the last entry, if older ones follow; otherwise zero
	Contact      patient.Contact
	Sharing      sharing
	Requests     []requestRow
	Appointments []visitRow
	Typed        string // the typed note, if it was not added
	Made, Token  string // of the form that adds a note
}

// NoteField is the field of the note.
func (p recordPage) NoteField() pagekit.Area {
	return pagekit.Area{ID: "note", Label: "Note", Hint: "Anyone with access to this record can read this note. The patient will see it if they make a subject access request.", Value: p.Typed, Fault: p.Fault("note")}
}

// Earlier reports whether the page does not begin with the newest entries.
func (p recordPage) Earlier() bool { return p.Before != uuid.Nil }

// HasOlder reports whether older entries follow.
func (p recordPage) HasOlder() bool { return p.Older != uuid.Nil }

// entry is one of the care record.
type entry struct {
	What, By, At string
	Text         string // of a note
	Address      string // of a request's page
	Wrong        string // why it was entered in error; "" if it was not
}

const (
	entriesShown  = 20
	requestsShown = 10
	visitsShown   = 10
)

// doneTexts maps the word in the page's address to its text about the last action.
var doneTexts = map[string]string{
	"registered": "The patient has been registered.",
	"details":    "The details have been changed.",
	"contact":    "The contact details have been changed.",
	"note":       "The note has been added to the record.",
	"move":       "The appointment is moved.",
	"cancel":     "The appointment is cancelled.",
	"glass":      "You have opened this record. Your reason has been recorded.",
}

// record shows a patient's record, or that it is closed. Its opening is recorded before
// any of it is read.
func (s *Section) record(r *pagekit.Request) error {
	w, err := s.findSubject(r)
	if err != nil {
		return err
	}
	if !s.isOpen(w) {
		return s.showClosed(r, w, http.StatusOK, pagekit.FormErrors{})
	}
	before, _ := parse.SomeID(r.Form.Get("before")) // anything else begins with the newest
	return s.show(r, w, http.StatusOK, recordPage{Done: doneTexts[r.Form.Get("done")], Before: before})
}

func (s *Section) show(r *pagekit.Request, w subject, status int, page recordPage) (err error) {
	if err := s.Desk.OpenCareRecord(r.StaffContext(), commands.OpenCareRecord{Tenant: r.Tenant, Patient: w.ID}); err != nil {
		return orNoPatient(err)
	}
	page.subject, page.Token = w, r.Token(w.purpose())
	page.Restricted = s.restrictionText(r, w)
	page.Made = newFormID(r, w)
	for _, fill := range []func(*pagekit.Request, *recordPage) error{s.addContact, s.addEntries, s.addRequests, s.addAppointments} {
		if err := fill(r, &page); err != nil {
			return err
		}
	}
	s.Show(r, pagekit.View{Template: templates["record"], Status: status, Title: page.PageTitle("Patient record"), Content: page})
	return nil
}

// restrictionText names those with access to the record, unless all have access.
func (s *Section) restrictionText(r *pagekit.Request, w subject) string {
	switch {
	case w.Sight.ByGlass(s.Now()):
		return "This record is restricted to other members of staff. You have opened it by giving a reason, until " + pagekit.Clock(w.Sight.Until, r.Practice.Zone) + "."
	case w.Sight.Restricted:
		return "This record is restricted. Only named staff, including you, can see it."
	}
	return ""
}

// addContact adds the contact details, and the other patients with the same NHS number.
func (s *Section) addContact(r *pagekit.Request, page *recordPage) error {
	contact, err := s.contactOf(r, page.ID)
	if err != nil {
		return err
	}
	page.Contact = shownContact(contact)
	page.Sharing, err = s.sharing(r, page.Name, contact.NHSNumber, page.ID)
	return err
}

func (s *Section) addEntries(r *pagekit.Request, page *recordPage) error {
	entries, more, err := s.Records.Page(r.Context(), r.Tenant, page.ID, page.Before, entriesShown)
	if err != nil {
		return err
	}
	for _, e := range entries {
		page.Entries = append(page.Entries, entryOf(r, e))
	}
	if more {
		page.Older = entries[len(entries)-1].ID
	}
	return nil
}

// entryOf describes an entry of the care record.
func entryOf(r *pagekit.Request, e projections.RecordEntry) (shown entry) {
	id := e.ID
	shown.By, shown.At = e.UserName, pagekit.Moment(e.At, r.Practice.Zone)
	switch e := e.Event.(type) {
	case record.NoteCreated:
		shown.What, shown.Text = "Note", e.Text
	case consultation.Started:
		shown.What = "Consultation"
	case request.Submitted:
		shown.What, shown.Address = pagekit.RequestNames[e.Type], r.Base()+"/requests/"+id.String()
	}
	if e.InError != nil {
		shown.Wrong = e.InError.Reason
	}
	return shown
}

// requestRow is one of the patient's requests.
type requestRow struct{ What, At, Standing, Address string }

func (s *Section) addRequests(r *pagekit.Request, page *recordPage) error {
	found, _, err := s.Inbox.OfPatient(r.Context(), r.Tenant, page.ID, projections.InboxPlace{}, requestsShown)
	for _, asked := range found {
		page.Requests = append(page.Requests, requestRow{
			pagekit.RequestNames[asked.Type], pagekit.Moment(asked.SubmittedAt, r.Practice.Zone), requestState(asked, s.Today(r)), r.Base() + "/requests/" + asked.Request.String(),
		})
	}
	return err
}

// visitRow is one of the patient's appointments.
type visitRow struct {
	At, Site, Plan, Status, Address string
	MayChange                       bool // it can be moved and cancelled
}

func (s *Section) addAppointments(r *pagekit.Request, page *recordPage) (err error) {
	page.Appointments, err = s.appointments(r, page.subject)
	return err
}

// appointments are a patient's latest. They are not part of the record.
func (s *Section) appointments(r *pagekit.Request, w subject) (rows []visitRow, err error) {
	found, err := s.Appointments.OfPatient(r.Context(), r.Tenant, w.ID, visitsShown)
	if err != nil {
		return nil, err
	}
	sites := map[uuid.UUID]string{}
	for _, a := range slices.Backward(found) {
		if _, known := sites[a.Site.UUID]; !known {
			if sites[a.Site.UUID], err = s.Directory.Site(r.Context(), r.Tenant, a.Site.UUID); err != nil {
				return nil, err
			}
		}
	}
	for _, a := range found {
		rows = append(rows, visitRow{pagekit.Moment(a.StartsAt, r.Practice.Zone), sites[a.Site.UUID], pagekit.PlanText(a.Plan, a.ClinicianName), statusNames[a.Status], r.Base() + "/day/" + a.Appointment.String(), mayChange(r, a, s.Now())})
	}
	return rows, nil
}

// mayChange reports whether the member can move and cancel an appointment from here: one
// of today or a later day that has not started.
func mayChange(r *pagekit.Request, a projections.Appointment, now time.Time) bool {
	ended := a.Status == projections.StatusAttended || a.Status == projections.StatusCancelled
	day := func(t time.Time) string { return t.In(r.Practice.Zone).Format(time.DateOnly) }
	return !ended && day(a.StartsAt) >= day(now) && r.Session.Roles.May(staff.RunTheDay)
}

// statusNames are the states of an appointment.
var statusNames = map[projections.Status]string{
	projections.StatusBooked: "booked", projections.StatusCalledIn: "called in", projections.StatusAttended: "started",
	projections.StatusDidNotAttend: "did not attend", projections.StatusCancelled: "cancelled",
}

// requestState describes the state of a request.
func requestState(r projections.InboxRow, today string) string {
	switch {
	case r.InError:
		return "entered in error"
	case r.DoneAt != nil:
		return "done"
	case r.Until > today:
		return "later"
	case r.Team != staff.TeamID{}:
		return "in progress, with " + r.HolderName
	case r.HolderName != "":
		return fmt.Sprintf("in progress, %s has it", r.HolderName)
	}
	return "new"
}
