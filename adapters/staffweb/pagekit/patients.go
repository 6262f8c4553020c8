package pagekit

import (
	"maps"
	"net/http"
	"strings"
	"time"

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
	now := s.Now()
	search, _ := parse.SomeID(r.Form.Get("search"))
	left := s.looks.uncovered(r.viewer(), look{topic: topic, search: search}, patients, now)
	if fetched := r.HTTP.Method == http.MethodGet; fetched && len(patients) > 0 {
		if patients = left; len(patients) == 0 {
			return
		}
	}
	s.Record(access.Look(id, now, r.Tenant, r.Session.Staff, topic, patients))
}

// viewer identifies the session or the display that a page is shown to.
func (r *Request) viewer() uuid.UUID {
	if r.SignedIn {
		return r.Session.ID
	}
	return r.Display.Display.UUID
}

// The texts of fields for dates of birth.
const (
	BirthDateHint  = "For example, 29 2 1980"
	BirthDateError = "Enter a date of birth with a day, month and year, for example 29 2 1980"
)

// dateForms are the forms of a date that people type. A year of two digits comes last,
// because it is less than certain.
var dateForms = []string{time.DateOnly, "2-1-2006", "2-January-2006", "2-Jan-2006", "02012006", "2-1-06", "020106"}

// ParseBirthDate parses a typed date of birth, such as 29/2/1980, 29.2.80 or 29021980; "" is
// no date, and is valid. A year of two digits is the last one that is not in the future.
func ParseBirthDate(text string, now time.Time) (date string, ok bool) {
	parts := strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(" /.-\u2010\u2011\u2013", r) })
	if len(parts) == 0 {
		return "", strings.TrimSpace(text) == ""
	}
	plain := strings.Join(parts, "-")
	for _, form := range dateForms {
		day, err := time.Parse(form, plain)
		if err != nil {
			continue
		}
		if short := !strings.Contains(form, "2006"); short && day.After(now) {
			day = day.AddDate(-100, 0, 0)
		}
		return day.Format(time.DateOnly), true
	}
	return "", false
}

// FormatBirthDate formats a date of birth; "" if unknown. Anything but a date stays as it
// is.
func FormatBirthDate(date string) string {
	on, err := time.Parse(time.DateOnly, date)
	if err != nil {
		return date
	}
	return Day(on, time.UTC)
}
