package requests

import (
	"slices"

	"frontdesk/adapters/staffweb/pagekit"
	"frontdesk/domain/patient"
	"frontdesk/projections"
)

// askedTopic is the name of a list that showed the texts of requests in the access record. It shows
// more than names, so no line about names covers it.
const askedTopic = "requests-asked"

// addAsks adds to rows the beginnings of what their patients ask. It hides those of records that
// are closed to the member, and of requests that were entered in error (rule 3).
func (s *Section) addAsks(r *pagekit.Request, rows []row) error {
	patients := patientsOf(rows)
	sights, err := s.Records.Sights(r.Context(), r.Tenant, r.Session.Staff, patients...)
	if err != nil {
		return err
	}
	now := s.Now()
	var wanted []projections.InboxRow
	for n := range rows {
		rows[n].Restricted = !sights[rows[n].Patient].Open(now)
		if !rows[n].Restricted && !rows[n].InError {
			wanted = append(wanted, projections.InboxRow{Request: rows[n].ID, Patient: rows[n].Patient})
		}
	}
	asks, err := s.Requests.Asks(r.Context(), r.Tenant, wanted)
	if err != nil {
		return err
	}
	var asked []patient.ID
	for n := range rows {
		text, has := asks[rows[n].ID]
		switch {
		case has && text == "":
			rows[n].Long = true
		case has:
			rows[n].Asks = text
			asked = append(asked, rows[n].Patient)
		}
	}
	s.recordRows(r, patients, asked)
	return nil
}

// recordRows adds to the access record the patients on the page whose requests are shown with
// their beginnings, and the others.
func (s *Section) recordRows(r *pagekit.Request, patients, asked []patient.ID) {
	named := slices.DeleteFunc(slices.Clone(patients), func(id patient.ID) bool { return slices.Contains(asked, id) })
	if len(asked) > 0 {
		s.RecordShown(r, askedTopic, once(asked)...)
	}
	if len(named) > 0 || len(asked) == 0 {
		s.RecordShown(r, "requests", named...)
	}
}

// patientsOf are the patients of rows, each once.
func patientsOf(rows []row) (ids []patient.ID) {
	for _, r := range rows {
		ids = append(ids, r.Patient)
	}
	return once(ids)
}

// once returns the patients in their order, each once.
func once(ids []patient.ID) (found []patient.ID) {
	for _, id := range ids {
		if !slices.Contains(found, id) {
			found = append(found, id)
		}
	}
	return found
}
