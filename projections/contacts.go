package projections

import (
	"context"
	"fmt"

	"frontdesk/domain/event"
	"frontdesk/domain/patient"
)

// Contacts finds how patients can be reached. It keeps no table: the details are in the events
// of each patient's stream, encrypted.
type Contacts struct {
	DB    Querier
	Opens Opener
}

// contacting are the events that contain contact details. The last one counts.
var contacting = []string{patient.ContactDetailsSet{}.EventName()}

// Find returns the contact details of patients of a practice. It leaves out patients without
// any, unknown patients, and those who were erased just now.
func (c Contacts) Find(ctx context.Context, tenant string, patients ...patient.ID) (map[patient.ID]patient.Contact, error) {
	opened, err := openLast(ctx, c.DB, c.Opens, tenant, contacting, patients)
	if err != nil {
		return nil, fmt.Errorf("find contact details: %w", err)
	}
	contacts := make(map[patient.ID]patient.Contact, len(opened))
	for _, e := range opened {
		set, _ := e.Event.(patient.ContactDetailsSet)
		if found := set.Contact(); found != (patient.Contact{}) && set.Telephone != event.Erased && set.Email != event.Erased && set.NHSNumber != event.Erased {
			contacts[set.Patient] = found
		}
	}
	return contacts, nil
}
