package reference

import "strings"

// IDs are identifiers that a sandbox has, so that the examples can be tried.
type IDs struct{ Patient, Site, Room, Appointment string }

// examples are the identifiers that the description's examples use.
var examples = IDs{
	Patient:     "0198c7a2-0000-7000-8000-000000000001",
	Site:        "0198c7a2-0000-7000-8000-000000000004",
	Room:        "0198c7a2-0000-7000-8000-000000000005",
	Appointment: "0198c7a2-0000-7000-8000-000000000006",
}

// variables are the same in a collection.
var variables = IDs{Patient: "{{patientId}}", Site: "{{siteId}}", Room: "{{roomId}}", Appointment: "{{appointmentId}}"}

// put writes other identifiers in the place of the examples'.
func (i IDs) put(text []byte) []byte {
	return []byte(strings.NewReplacer(
		examples.Patient, i.Patient, examples.Site, i.Site, examples.Room, i.Room, examples.Appointment, i.Appointment,
	).Replace(string(text)))
}
