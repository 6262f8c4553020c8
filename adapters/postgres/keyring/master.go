package keyring

import (
	"context"
	"fmt"

	"frontdesk/adapters/sealing"
)

// OtherMasterKeyError says that personal data is sealed under another master key than the
// one given. Its text names both, and says nothing else about them.
type OtherMasterKeyError struct{ Is, Given string }

// Error returns the line that an operator reads.
func (e *OtherMasterKeyError) Error() string {
	return fmt.Sprintf("the personal data in this database is sealed under master key %s; the one given is %s", e.Is, e.Given)
}

// masters are the master keys that a keyring was given, ready for use. New keys are
// wrapped under the one that the database names, which every process has.
type masters struct {
	current  string // wraps new keys
	given    string
	wrappers map[string]sealing.Wrapper // by the identifier of the master key
}

// ours returns the master keys that were given, and [sealing.ErrNoMasterKey] if none was.
func (k *Keyring) ours() (*masters, error) {
	if ready := k.masters.Load(); ready != nil {
		return ready, nil
	}
	return k.ready(k.Master.ID())
}

func (k *Keyring) ready(current string) (*masters, error) {
	wrapper, err := k.Master.Wrapper()
	if err != nil {
		return nil, err
	}
	ready := &masters{current, k.Master.ID(), map[string]sealing.Wrapper{k.Master.ID(): wrapper}}
	if k.Old != (sealing.MasterKey{}) {
		if ready.wrappers[k.Old.ID()], err = k.Old.Wrapper(); err != nil {
			return nil, err
		}
	}
	k.masters.Store(ready)
	return ready, nil
}

// under returns what unwraps the keys that a master key has wrapped.
func (m *masters) under(id string) (sealing.Wrapper, error) {
	if wrapper, given := m.wrappers[id]; given {
		return wrapper, nil
	}
	return sealing.Wrapper{}, &OtherMasterKeyError{id, m.given}
}

// Start makes sure that the master key is the database's. The first one that a database is
// given becomes its own. Without a master key it does nothing.
func (k *Keyring) Start(ctx context.Context) error {
	if k.Master == (sealing.MasterKey{}) {
		return nil
	}
	is, err := k.ask(ctx)
	if err == nil && is == "" {
		is, err = k.register(ctx)
	}
	if err != nil {
		return err
	}
	return k.uses(is)
}

// Check does what [Keyring.Start] does, and changes nothing. It returns the master key
// that the database names; "" if it names none yet.
func (k *Keyring) Check(ctx context.Context) (is string, err error) {
	is, err = k.ask(ctx)
	if err != nil || is == "" {
		return is, err
	}
	return is, k.uses(is)
}

// ask reads which master key the database names; "" if none yet.
func (k *Keyring) ask(ctx context.Context) (is string, err error) {
	if err := k.DB.QueryRow(ctx, `SELECT coalesce((`+currentMaster+`), '')`).Scan(&is); err != nil {
		return "", fmt.Errorf("look for the master key: %w", err)
	}
	return is, nil
}

// uses makes the keyring ready for the master key that the database names, and refuses
// it unless it was given.
func (k *Keyring) uses(is string) error {
	ours, err := k.ready(is)
	if err != nil {
		return err
	}
	_, err = ours.under(is)
	return err
}

const currentMaster = `SELECT id FROM master_keys WHERE retired_at IS NULL`

// register makes the master key the database's, unless another process is faster, and
// returns whose it is.
func (k *Keyring) register(ctx context.Context) (is string, err error) {
	_, err = k.DB.Exec(ctx, `INSERT INTO master_keys (id, since) VALUES ($1, now()) ON CONFLICT DO NOTHING`, k.Master.ID())
	if err != nil {
		return "", fmt.Errorf("register the master key: %w", err)
	}
	if err := k.DB.QueryRow(ctx, currentMaster).Scan(&is); err != nil {
		return "", fmt.Errorf("ask for the current master key: %w", err)
	}
	return is, nil
}
