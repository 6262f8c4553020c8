package projections

import (
	"context"

	"github.com/jackc/pgx/v5"

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
