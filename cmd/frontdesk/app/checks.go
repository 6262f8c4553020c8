package app

import (
	"context"
	"fmt"
	"log/slog"
	"strings"
	"time"

	"frontdesk/adapters/postgres"
	"frontdesk/adapters/postgres/keyring"
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
	if differences[0].Kind == postgres.Version {
		return Finding{
			What: "objects", Warns: true, Says: "the schema is newer than this program, and still serves it: its objects cannot be compared",
			About: []slog.Attr{slog.Any("schema", differences[0])},
		}
	}
	return Finding{
		What: "objects", Warns: true, Says: "the schema differs from the one that this program needs: find out who changed it, and change it back as a superuser",
		About: []slog.Attr{slog.Int("differences", len(differences)), slog.Any("first", differences[:min(len(differences), mostNamed)])},
	}
}

// mostNamed is how many differences one line of the log names.
const mostNamed = 20

// processes warns if no process serves, and names the master key of each.
func (e *Engine) processes(ctx context.Context) Finding {
	holders, err := keyring.KeyHolders(ctx, e.background)
	if err == nil && len(holders) == 0 {
		return Finding{What: "processes", Warns: true, Says: "no process serves this database: start one"}
	}
	serving := make([]string, 0, len(holders))
	for _, h := range holders {
		serving = append(serving, h.Host+" under "+h.Wraps)
	}
	return found("processes", strings.Join(serving, ", "), err)
}

// signed warns if no checkpoint has events that were recorded five minutes ago.
func (e *Engine) signed(ctx context.Context) Finding {
	var last *time.Time
	var late bool
	err := e.background.QueryRow(ctx, `SELECT last, EXISTS (SELECT FROM events WHERE recorded_at > last AND recorded_at < clock_timestamp() - interval '5 minutes')
		FROM (SELECT max(signed_at) AS last FROM checkpoints) c`).Scan(&last, &late)
	switch {
	case err != nil:
		return found("signer", "", fmt.Errorf("read the time of the last checkpoint: %w", err))
	case last == nil:
		return Finding{What: "signer", Warns: true, Says: "no checkpoint was ever signed, so changes of the log are not detected: run frontdesk sign"}
	case late:
		return Finding{
			What: "signer", Warns: true, Says: "newer events have no checkpoint: start frontdesk sign, and read its log",
			About: []slog.Attr{slog.Time("last", last.UTC())},
		}
	}
	return found("signer", "the last checkpoint is of "+last.UTC().Format(time.DateTime)+" UTC", nil)
}

// archived warns if a restore would lose the changes since the last dump.
func (e *Engine) archived(ctx context.Context) Finding {
	var off, failing bool
	var last *time.Time
	err := e.background.QueryRow(ctx, `SELECT current_setting('archive_mode') = 'off', coalesce(last_failed_time > coalesce(last_archived_time, '-infinity'), false), last_archived_time
		FROM pg_stat_archiver`).Scan(&off, &failing, &last)
	switch {
	case err != nil:
		return found("archive", "", fmt.Errorf("read the state of the archive: %w", err))
	case off:
		return Finding{What: "archive", Warns: true, Says: "Postgres archives no WAL, so a restore loses the changes since the last backup: set archive_mode and archive_command"}
	case failing || last == nil:
		return Finding{What: "archive", Warns: true, Says: "Postgres cannot archive its WAL, which fills its disk: its log has the error of archive_command"}
	}
	return found("archive", "WAL was archived at "+last.UTC().Format(time.DateTime)+" UTC", nil)
}

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
