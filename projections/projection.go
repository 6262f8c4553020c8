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
	// Name is permanent: it is the consumer of a following projection.
	Name() string
	// Project queues the statements that move the model past one event.
	Project(e event.Recorded, do func(sql string, args ...any))
}

// Follower is a read model behind the feed.
type Follower interface {
	Projection
	// Follows is an event of each sort that moves the model. It is handed no other.
	Follows() []event.Event
}

// Querier asks the database: a pool, a connection or a transaction.
type Querier interface {
	Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error)
	QueryRow(ctx context.Context, sql string, args ...any) pgx.Row
}

// AtOnce are the projections kept in the append itself: what authorisation and
// intake ask, and what must be unique.
func AtOnce() []Projection {
	return []Projection{Practices{}, Applications{}, Webhooks{}, SigningKeys{}, Enablements{}, Staff{}, Authorisations{}, Patients{}, Attachments{}, Answers{}, Availability{},
		Sites{}, Appointments{}, CareRecords{}}
}

// Following are the projections behind the feed: what people browse.
func Following() []Follower {
	return []Follower{CallInBoard{}, Timeline{}}
}

// All are both.
func All() []Projection {
	all := AtOnce()
	for _, p := range Following() {
		all = append(all, p)
	}
	return all
}

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
