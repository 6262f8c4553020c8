package projections

import (
	"time"

	"frontdesk/commands"
)

// Table is one that a projection keeps.
type Table struct {
	Name string
	// Kept is how long rows are sure to stay, counted from the instant in their
	// column Age; older ones may be gone. Zero: for ever.
	Kept time.Duration
	Age  string
}

// tables are those of each projection, which nothing else writes to: what a
// rebuild makes anew and compares.
var tables = map[string][]Table{
	Practices{}.Name():      kept("practices"),
	Applications{}.Name():   kept("applications", "application_callbacks", "endpoint_grants"),
	Webhooks{}.Name():       kept("webhooks"),
	SigningKeys{}.Name():    kept("signing_keys"),
	Enablements{}.Name():    kept("enablements"),
	Staff{}.Name():          kept("staff"),
	Authorisations{}.Name(): kept("authorisations"),
	Patients{}.Name():       kept("patients", "record_restrictions"),
	Attachments{}.Name():    kept("attachments"),
	Answers{}.Name():        {{Name: "answers", Kept: commands.AnswerLifetime, Age: "answered_at"}},
	Availability{}.Name():   kept("intakes", "closures"),
	Sites{}.Name():          kept("sites", "rooms"),
	Appointments{}.Name():   kept("appointments"),
	CareRecords{}.Name():    kept("record_entries"),
	CallInBoard{}.Name():    kept("call_ins"),
	Timeline{}.Name():       kept("timeline"),
}

func kept(names ...string) []Table {
	all := make([]Table, len(names))
	for n, name := range names {
		all[n].Name = name
	}
	return all
}

// TablesOf are the tables that a projection keeps.
func TablesOf(p Projection) []Table { return tables[p.Name()] }
