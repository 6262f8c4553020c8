package app

import (
	"context"
	"fmt"
	"log/slog"

	"frontdesk/adapters/postgres"
)

// Finding is how one thing is that serving needs.
type Finding struct {
	What  string      // was looked at, such as "schema"
	Says  string      // the state; for a warning, the fix
	About []slog.Attr // attributes of a warning
	Warns bool        // should be fixed, but does not prevent serving
	Err   error       // why the process cannot serve, with the fix
}

// look checks one thing without changing it.
type look func(context.Context) Finding

// checks are the checks of a database before each start of serving. The first error counts.
func (e *Engine) checks() []look {
	return []look{e.sequence, e.durability, e.encryption, e.machine, e.erased, e.owner, e.makers, e.objects, e.room}
}

// mayServe returns an error if the database lacks a requirement of this deployment, and logs
// warnings. Then it adds the erasures to the ledger.
func (e *Engine) mayServe(ctx context.Context) error {
	for _, look := range e.checks() {
		found := look(ctx)
		if found.Err != nil {
			return found.Err
		}
		found.warn(ctx, e.config.Log)
	}
	return e.NoteErasures(ctx)
}

// warn logs a finding that is a warning.
func (f Finding) warn(ctx context.Context, log *slog.Logger) {
	if f.Warns {
		log.LogAttrs(ctx, slog.LevelWarn, f.Says, f.About...) //nolint:sloglint // each finding's message is a constant where it is made
	}
}

// found is a finding that is as good as the error of having looked.
func found(what, says string, err error) Finding { return Finding{What: what, Says: says, Err: err} }

func (e *Engine) sequence(ctx context.Context) Finding {
	return found("sequence", "positions are drawn as they must be", postgres.CheckSequence(ctx, e.background))
}

func (e *Engine) durability(ctx context.Context) Finding {
	return found("durability", string(e.config.Durability), postgres.CheckDurability(ctx, e.background, e.config.Durability))
}

// encryption warns of a database on another machine whose connections others may read or answer.
func (e *Engine) encryption(context.Context) Finding {
	host, err := postgres.Unverified(e.config.DatabaseURL)
	if host == "" {
		return found("encryption", "the database is on this machine, or shows by TLS whose it is", err)
	}
	return Finding{
		What: "encryption", Warns: true, Says: "connections to the database leave this machine without verified TLS: add sslmode=verify-full to its URL",
		About: []slog.Attr{slog.String("host", host)},
	}
}

// machine compares the clock with the database's. A wrong one stops no start: the process is
// not ready, and records nothing, until the clock is right.
func (e *Engine) machine(ctx context.Context) Finding {
	if err := e.clock.Compare(ctx); err != nil {
		return found("clock", "", err)
	}
	offset := e.clock.Offset()
	if offset.Abs() <= postgres.ClockWarns {
		return found("clock", "it is the database's", nil)
	}
	return Finding{
		What: "clock", Warns: true, Says: "the clock of this machine differs from the database's: set the one that is wrong; beyond 30 s nothing is recorded",
		About: []slog.Attr{slog.Duration("ahead", offset)},
	}
}

func (e *Engine) erased(ctx context.Context) Finding {
	return found("erasures", "all erased persons are still erased", e.stillErased(ctx))
}

// owner refuses an owner that no rule of the database binds.
func (e *Engine) owner(ctx context.Context) Finding {
	return found("owner", "a plain role owns the schema", postgres.CheckOwner(ctx, e.background))
}

func (e *Engine) makers(ctx context.Context) Finding {
	mends, err := postgres.CheckMakers(ctx, e.background)
	if mends == "" {
		return found("functions", "only the owner may make functions", err)
	}
	return Finding{
		What: "functions", Warns: true, Says: "the roles of the service or of auditors may make functions: revoke that as a superuser",
		About: []slog.Attr{slog.String("by", mends)},
	}
}

// objects compares the schema with the one that this program was built for. A difference may be
// a right that a reporting tool needs, so it stops nothing, but it is named at each start.
func (e *Engine) objects(ctx context.Context) Finding {
	differences, err := postgres.SchemaDifferences(ctx, e.background)
	if len(differences) == 0 {
		return found("objects", "tables, functions, triggers, rights and settings are this program's", err)
	}
	return Finding{
		What: "objects", Warns: true, Says: "the schema differs from the one that this program needs: find out who changed it, and change it back as a superuser",
		About: []slog.Attr{slog.Int("differences", len(differences)), slog.Any("first", differences[:min(len(differences), mostNamed)])},
	}
}

// mostNamed is how many differences one line of the log names.
const mostNamed = 20

// room warns if the connection limit leaves no room for a second process, as in a rolling
// upgrade.
func (e *Engine) room(ctx context.Context) Finding {
	limit, err := postgres.ConnectionLimitOf(ctx, e.background)
	if err != nil {
		return found("connections", "", err)
	}
	each := e.config.Connections()
	fits := limit.Processes(each)
	if fits >= 2 {
		return found("connections", fmt.Sprintf("each process has %d at most, and the database %d (%s): %d processes fit", each, limit.Connections, limit.Source, fits), nil)
	}
	return Finding{
		What: "connections", Warns: true,
		Says: "the database has too few connections for two processes, as a restart without a break needs: raise its limit, or give each process fewer " +
			"(--call-connections, --background-connections, --upload-connections)",
		About: []slog.Attr{slog.Int("each", each), slog.Int("has", limit.Connections), slog.String("by", limit.Source)},
	}
}
