package projections

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"frontdesk/commands"
	"frontdesk/domain/event"
)

// Projection is one read model.
type Projection interface {
	// Name is permanent: a rebuild records its progress under it, and the feed the
	// offset of a follower.
	Name() string
	// Project queues the statements that move the model past one event.
	Project(e event.Recorded, do func(sql string, args ...any))
}

// Follower is a read model behind the feed.
type Follower interface {
	Projection
	// Follows returns an event of each type that changes the model. It receives no
	// others.
	Follows() []event.Event
}

// Querier queries the database: a pool, a connection or a transaction.
type Querier interface {
	Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error)
	QueryRow(ctx context.Context, sql string, args ...any) pgx.Row
}

// Opener returns stored events with their personal values, as far as it can decrypt
// them. With an error it returns the events before the one that failed.
type Opener interface {
	Open(ctx context.Context, events []event.Stored) ([]event.Recorded, error)
}

// AtOnce returns the projections that change in the transaction of the append: those
// that authorisation and admission read, and those with columns that must be unique.
// [Erasures] changes there without a statement of the program.
func AtOnce() []Projection {
	return []Projection{Practices{}, Applications{}, Webhooks{}, SigningKeys{}, Enablements{}, Staff{}, Authorisations{}, Patients{}, Attachments{}, IdempotentResponses{}, Availability{},
		NoteTemplates{}, Teams{}, Sites{}, Displays{}, Appointments{}, CareRecords{}}
}

// Following returns the projections behind the feed, which pages read.
func Following() []Follower {
	return []Follower{Timeline{}, SignIns{}, Inbox{}, ErasureRequests{}}
}

// All returns all projections, those behind the feed last.
func All() []Projection {
	all := append([]Projection{Erasures{}}, AtOnce()...)
	for _, p := range Following() {
		all = append(all, p)
	}
	return all
}

// Table is a table that a projection keeps.
type Table struct {
	Name string
	// Kept is how long rows stay for certain, from the instant in their column Age on.
	// Older rows may be gone. Zero means that rows stay for ever.
	Kept time.Duration
	Age  string
	// Of is the kinds of holder whose personal values rows hold; nil for none.
	Of []event.HolderKind
	// Keyed is true if rows come only from calls with an Idempotency-Key.
	Keyed bool
}

// tables lists the tables of each projection, which a rebuild makes again and compares.
// Nothing else writes to them, except deletes of rows that are too old.
var tables = map[string][]Table{
	Erasures{}.Name():            kept("erasures"),
	Practices{}.Name():           kept("practices"),
	Applications{}.Name():        kept("applications", "application_callbacks", "endpoint_grants"),
	Webhooks{}.Name():            kept("webhooks"),
	SigningKeys{}.Name():         kept("signing_keys"),
	Enablements{}.Name():         kept("enablements"),
	Staff{}.Name():               append(kept("staff_links", "staff_passkeys", "passkey_rules"), Table{Name: "staff", Of: []event.HolderKind{event.OfStaff}}),
	Authorisations{}.Name():      kept("authorisations"),
	Patients{}.Name():            kept("patients", "record_restrictions", "broken_glass"),
	Attachments{}.Name():         kept("attachments"),
	IdempotentResponses{}.Name(): {{Name: "answers", Kept: commands.ResponseLifetime, Age: "answered_at", Of: []event.HolderKind{event.OfPatient, event.OfRequest}, Keyed: true}},
	Availability{}.Name():        kept("intakes", "closures"),
	NoteTemplates{}.Name():       kept("note_templates"),
	Teams{}.Name():               kept("teams"),
	Displays{}.Name():            kept("displays"),
	Sites{}.Name():               kept("sites", "rooms"),
	Appointments{}.Name():        kept("appointments"),
	CareRecords{}.Name():         kept("record_entries"),
	Timeline{}.Name():            kept("timeline"),
	SignIns{}.Name():             kept("sign_ins"),
	Inbox{}.Name():               kept("inbox"),
	ErasureRequests{}.Name():     kept("erasure_requests"),
}

func kept(names ...string) []Table {
	all := make([]Table, len(names))
	for n, name := range names {
		all[n].Name = name
	}
	return all
}

// TablesOf returns the tables that a projection keeps.
func TablesOf(p Projection) []Table { return tables[p.Name()] }
