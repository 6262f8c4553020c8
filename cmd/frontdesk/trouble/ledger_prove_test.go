//go:build prove

package trouble_test

import (
	"errors"
	"maps"
	"math/rand/v2"
	"sync"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"frontdesk/adapters/postgres"
	"frontdesk/domain/event"
	"frontdesk/domain/fault"
)

// fate is a writer's knowledge of an append when it is over.
type fate string

const (
	acknowledged fate = "acknowledged" // it must be in the log, once
	refused      fate = "refused"      // it must not be there
	unknown      fate = "unknown"      // the answer was lost: it is there as a whole, or not at all
)

// deed is one append, or several in one transaction. All of its events carry its name.
type deed struct {
	name   string
	events int
	after  []string    // the deeds that its writer had read, or knew as acknowledged, before
	ids    []uuid.UUID // of its events, if acknowledged
	fate   fate
}

// ledger is the memory of a world's writers.
type ledger struct {
	mu    sync.Mutex
	deeds map[string]deed
	told  []string // names of acknowledged deeds
}

// note remembers how a deed has ended. A later word on the same deed replaces the first.
func (l *ledger) note(d deed) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.deeds[d.name] = d
	if d.fate == acknowledged {
		l.told = append(l.told, d.name)
	}
}

func (l *ledger) of(name string) (deed, bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	d, known := l.deeds[name]
	return d, known
}

// hearsay is an acknowledged deed of any writer, one of the latest; "" for none.
func (l *ledger) hearsay(d *rand.Rand) string {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.told) == 0 {
		return ""
	}
	return pick(d, l.told[max(0, len(l.told)-20):])
}

// all is every deed, by name.
func (l *ledger) all() map[string]deed {
	l.mu.Lock()
	defer l.mu.Unlock()
	return maps.Clone(l.deeds)
}

// fateBy derives the fate of a commit from its error. Only errors in which Postgres reports a
// rollback are final; any other failure may have happened after the commit.
func fateBy(err error) fate {
	if err == nil {
		return acknowledged
	}
	if errors.Is(err, postgres.ErrUnavailable) {
		return unknown
	}
	_, judged := errors.AsType[*fault.Error](err)
	if judged || errors.Is(err, event.ErrConflict) || errors.Is(err, pgx.ErrTxCommitRollback) {
		return refused
	}
	if answer, ok := errors.AsType[*pgconn.PgError](err); ok && answer.Severity == "ERROR" {
		return refused
	}
	return unknown
}
