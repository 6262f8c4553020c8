package app

import (
	"context"
	"log/slog"
	"time"

	"frontdesk/adapters/postgres"
	"frontdesk/domain"
	"frontdesk/domain/event"
	"frontdesk/projections"
)

// SealLog is what sealing the log of a database needs to be told.
type SealLog struct {
	Machine  string                // what this machine says of who is at it
	Wait     time.Duration         // for locks that others hold
	Tell     func(string)          // is told who is waited for
	Progress func(done, all int64) // of positions
}

// Run seals what was written in clear, in the database of the config as its owner. It
// returns how many events were, and whether there was anything to do (D75).
func (s SealLog) Run(ctx context.Context, config Config) (events int64, changed bool, err error) {
	config.setDefaults()
	codec, err := event.NewCodec(domain.Events()...)
	if err != nil {
		return 0, false, err
	}
	pool, err := openPool(ctx, config, 0, nil)
	if err != nil {
		return 0, false, err
	}
	defer pool.Close()
	db := postgres.On(pool)
	if err := postgres.CheckSchema(ctx, db); err != nil {
		return 0, false, err
	}
	keys := &postgres.Keyring{DB: db, Codec: codec, Master: config.MasterKey}
	if err := keys.Start(ctx); err != nil {
		return 0, false, err
	}
	user, err := postgres.SessionUser(ctx, db)
	if err != nil {
		return 0, false, err
	}
	store := &postgres.Store{DB: db, Codec: codec, Keys: keys, AtOnce: projections.AtOnce(), Now: config.Now}
	defer store.Close()
	work := postgres.SealLog{
		Pool: pool, Keys: keys, Store: store, Log: postgres.Log{DB: db, Codec: codec}, Wait: s.Wait, Tell: s.Tell, Progress: s.Progress,
	}
	events, changed, err = work.Run(event.WithMetadata(ctx, event.Metadata{Actor: event.Operator(user, s.Machine)}))
	if err != nil {
		return 0, changed, err
	}
	return events, changed, postgres.NewSequencer(pool, nil, nil, config.Log).Drain(ctx)
}

// These say what the operator has to do while something personal is in clear.
const inClear = "personal data is stored in clear, and until it is sealed nothing can be proved: seal it as the owner of the database"

var sealIt = []slog.Attr{slog.String("command", "frontdesk seal-log")}

// warnUnsealed warns of what is personal and in clear.
func (e *Engine) warnUnsealed(ctx context.Context) {
	if !e.keyring.Sealed() || e.keyring.Begun() {
		e.config.Log.LogAttrs(ctx, slog.LevelWarn, inClear, sealIt...)
	}
}
