package postgres

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"frontdesk/domain/audit"
	"frontdesk/domain/event"
)

// SealLog seals what was written in clear before this database was sealed (D75). It runs
// beside a service that goes on, and may be stopped at any moment: the next run goes on
// from there.
type SealLog struct {
	Pool     *pgxpool.Pool // as the owner
	Keys     *Keyring      // with the master key
	Store    *Store        // over the same keyring; the ctx says who seals
	Log      Log
	Wait     time.Duration         // for locks that others hold; 0 means ten minutes
	Tell     func(string)          // is told who is waited for; nil tells nobody
	Progress func(done, all int64) // of positions; nil is told nothing
}

// sealLogName is the application_name of the session that asks for locks.
const sealLogName = "frontdesk seal-log"

// These say why the log cannot be sealed now.
var (
	errOlderProcesses = errors.New("processes of an older release are connected, which would read sealed names as they stand: " +
		"replace them with this release, then run this again")
	errClearProcesses = errors.New("from now on, processes that start seal what they write; some that started before are connected: " +
		"restart every process of frontdesk, then run this again")
)

// sealingState is how far a database is on its way to being sealed.
type sealingState struct {
	begun, closed, finished bool
	reached, moved          int64
}

func (s *SealLog) state(ctx context.Context) (is sealingState, err error) {
	err = s.Pool.QueryRow(ctx, `
		SELECT since IS NOT NULL, closed_at IS NOT NULL, finished_at IS NOT NULL, reached, moved FROM sealing`).
		Scan(&is.begun, &is.closed, &is.finished, &is.reached, &is.moved)
	if err != nil {
		return is, fmt.Errorf("ask how far the log is sealed: %w", err)
	}
	return is, nil
}

// Run takes the next steps that can be taken, and returns how many events have been
// changed in all, and whether there was anything to do. It refuses to go on while a
// process is connected that reads or writes in clear only.
func (s *SealLog) Run(ctx context.Context) (events int64, changed bool, err error) {
	alone, err := s.alone(ctx)
	if err != nil {
		return 0, false, err
	}
	is, err := s.state(ctx)
	if err != nil || is.finished {
		return is.moved, false, errors.Join(err, alone.Release(ctx))
	}
	for _, step := range []func(context.Context, sealingState) error{s.begin, s.close, s.noCopies, s.move, s.moveCalls, s.forget, s.check, s.checkCalls, s.finish} {
		if err := step(ctx, is); err != nil {
			return 0, true, errors.Join(err, alone.Release(ctx))
		}
	}
	is, err = s.state(ctx)
	return is.moved, true, errors.Join(err, alone.Release(ctx))
}

func (s *SealLog) alone(ctx context.Context) (*Alone, error) {
	alone, err := NewAlone(ctx, s.Pool, sealLogLock, sealLogName)
	if err != nil {
		return nil, err
	}
	err = alone.Wait(ctx, s.Pool, func(other Blocker) { s.tell("another seal-log is at work: " + other.String()) })
	if err != nil {
		return nil, errors.Join(err, alone.Release(ctx))
	}
	return alone, nil
}

func (s *SealLog) tell(text string) {
	if s.Tell != nil {
		s.Tell(text)
	}
}

// begin lets processes that start from now on seal. Those that run read both forms.
func (s *SealLog) begin(ctx context.Context, is sealingState) error {
	if !is.begun {
		if err := s.without(ctx, errOlderProcesses, nameOlder); err != nil {
			return err
		}
		if _, err := s.Keys.register(ctx); err != nil {
			return err
		}
		if _, err := s.Pool.Exec(ctx, `UPDATE sealing SET since = now() WHERE since IS NULL`); err != nil {
			return fmt.Errorf("begin to seal (run this as the owner of the database): %w", err)
		}
	}
	return s.Keys.Start(ctx)
}

// without returns the refusal if sessions of one of the names are connected.
func (s *SealLog) without(ctx context.Context, refusal error, names ...string) error {
	found, err := describe(ctx, s.Pool, `
		SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND application_name = ANY ($1)`, names)
	if err != nil {
		return err
	}
	if len(found) > 0 {
		return fmt.Errorf("%w; one of %d connections is %s", refusal, len(found), found[0])
	}
	return nil
}

// close ends writing in clear. Whatever was written so is committed then, and nothing is
// any more, whoever is connected.
func (s *SealLog) close(ctx context.Context, is sealingState) error {
	if is.closed {
		return nil
	}
	if err := s.without(ctx, errClearProcesses, nameOlder, nameClear); err != nil {
		return err
	}
	return s.briefly(ctx, `LOCK TABLE sealing IN EXCLUSIVE MODE`, `UPDATE sealing SET closed_at = now()`)
}

// briefly runs statements in one transaction that waits only briefly for locks, again and
// again, so that nobody waits behind it (D54).
func (s *SealLog) briefly(ctx context.Context, statements ...string) error {
	locks := Locks{DB: On(s.Pool), As: sealLogName, Limit: s.Wait, Tell: s.Tell}
	return locks.Ask(ctx, func(ctx context.Context) error {
		return pgx.BeginTxFunc(ctx, s.Pool, pgx.TxOptions{IsoLevel: pgx.ReadCommitted}, func(tx pgx.Tx) error {
			named := `SET LOCAL application_name = '` + sealLogName + `'`
			for _, statement := range append([]string{named, Briefly}, statements...) {
				if _, err := tx.Exec(ctx, statement); err != nil {
					return err
				}
			}
			return nil
		})
	})
}

// finish says in the log that it is sealed, drops the columns that held names, and lets
// events change no more.
func (s *SealLog) finish(ctx context.Context, _ sealingState) error {
	is, err := s.state(ctx)
	if err != nil {
		return err
	}
	said, err := s.Store.Load(ctx, audit.SealingOf())
	if err != nil {
		return err
	}
	head, err := s.Log.Head(ctx)
	if err != nil {
		return err
	}
	if len(said) == 0 {
		sealed := audit.LogSealed{UpTo: head, Events: is.moved}
		if _, err := s.Store.Append(ctx, event.Change{Stream: audit.SealingOf(), Events: []event.Event{sealed}}); err != nil {
			return err
		}
	}
	return s.briefly(ctx, `ALTER TABLE patients DROP COLUMN IF EXISTS name, DROP COLUMN IF EXISTS birth_date`, `UPDATE sealing SET finished_at = now()`)
}
