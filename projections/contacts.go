package projections

import (
	"context"
	"fmt"
	"slices"

	"frontdesk/domain/event"
	"frontdesk/domain/patient"
)

// Contacts finds how patients can be reached. It keeps no table: the details are in the events
// of each patient's stream, encrypted.
type Contacts struct {
	DB    Querier
	Opens Opener
}

// lastContact finds the event with the details of a patient of the practice.
const lastContact = `
SELECT e.id, e.version, e.recorded_at, e.name, e.data, e.metadata, e.sealed FROM events e
WHERE e.stream = $1 AND e.tenant = $2 AND e.name = $3 AND EXISTS (SELECT FROM patients WHERE tenant = $2 AND patient = $4)
ORDER BY e.version DESC LIMIT 1`

// Find returns a patient's contact details. They are empty if none are stored, or the practice
// has no such patient.
func (c Contacts) Find(ctx context.Context, tenant string, id patient.ID) (patient.Contact, error) {
	stream := patient.StreamOf(tenant, id)
	rows, _ := c.DB.Query(ctx, lastContact, stream.ID, tenant, patient.ContactDetailsSet{}.EventName(), id)
	stored, err := scanStream(rows, stream)
	if err != nil {
		return patient.Contact{}, fmt.Errorf("find contact details: %w", err)
	}
	opened, err := c.Opens.Open(ctx, stored)
	if err != nil || len(opened) == 0 {
		return patient.Contact{}, err
	}
	found, _ := opened[0].Event.(patient.ContactDetailsSet)
	if slices.Contains([]string{found.Telephone, found.Email, found.NHSNumber}, event.Erased) { // just now
		return patient.Contact{}, nil
	}
	return found.Contact(), nil
}
