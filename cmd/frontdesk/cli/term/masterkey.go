package term

import (
	"context"
	"time"

	"frontdesk/adapters/clock"
	"frontdesk/adapters/sealing"
	"frontdesk/cmd/frontdesk/app"
	"frontdesk/commands"
)

// MasterKeyFlags are the flags of every command that encrypts or decrypts: personal data, and
// the keys that webhooks are signed with.
type MasterKeyFlags struct {
	MasterKeyFile    string `placeholder:"FILE" instead:"master key" help:"File with the master keys, a line each: 32 random bytes, as \"openssl rand -base64 32\" prints them. They encrypt personal data and signing keys in the database."`
	MasterKeyCommand Words  `sep:" " placeholder:"COMMAND" instead:"master key" help:"Command that prints the master keys. It is not run by a shell."`
	MasterKey        string `placeholder:"BASE64" instead:"master key" secret:"" help:"The master key itself: for the environment, never for a command line."`
}

// Read returns the master keys; [sealing.ErrNoMasterKey] if no flag is given.
func (f MasterKeyFlags) Read(r *Run) (*sealing.Ring, error) {
	ring, err := f.Given(r)
	if err == nil && ring.Empty() {
		err = sealing.ErrNoMasterKey
	}
	return ring, err
}

// Given returns the master keys, and an empty ring, which decrypts nothing, if no flag is
// given.
func (f MasterKeyFlags) Given(r *Run) (*sealing.Ring, error) {
	keys, err := f.keys(r.Context)
	if err != nil {
		return nil, err
	}
	return sealing.NewRing(keys...), nil
}

func (f MasterKeyFlags) keys(ctx context.Context) ([]sealing.MasterKey, error) {
	source := KeySource{f.MasterKeyFile, f.MasterKeyCommand}
	if f.MasterKey == "" || f.MasterKeyFile != "" {
		return source.Read(ctx)
	}
	if len(f.MasterKeyCommand) > 0 {
		return nil, errTwoKeys
	}
	return sealing.ParseRing(f.MasterKey)
}

// commandAgain is how long a process trusts the output of the command for master keys.
const commandAgain = time.Minute

// Again returns a function that reads the master keys again, and nil if they cannot change.
// A file is read each time, and the command runs once a minute at most.
func (f MasterKeyFlags) Again() func(ctx context.Context) ([]sealing.MasterKey, error) {
	switch {
	case f.MasterKeyFile != "":
		return f.keys
	case len(f.MasterKeyCommand) == 0:
		return nil
	}
	var last []sealing.MasterKey
	watch := clock.Start()
	return func(ctx context.Context) ([]sealing.MasterKey, error) {
		if last != nil && watch.Elapsed() < commandAgain {
			return last, nil
		}
		keys, err := f.keys(ctx)
		if err != nil {
			return nil, err
		}
		last, watch = keys, clock.Start()
		return last, nil
	}
}

// OpenWith opens the engine with the master key, if one is given.
func (f DatabaseFlag) OpenWith(r *Run, key MasterKeyFlags) (*app.Engine, error) {
	master, err := key.Given(r)
	if err != nil {
		return nil, err
	}
	return app.Open(r.Context, app.Config{DatabaseURL: f.DatabaseURL, MasterKeys: master})
}

// SealingFlags are the flags of every command about a practice that appends personal data.
type SealingFlags struct {
	PracticeFlags  `embed:""`
	MasterKeyFlags `embed:""`
}

// Do acts as [EngineFlags.Do] does, with the master key.
func (f SealingFlags) Do(r *Run, config app.Config, tenant string, act func(context.Context, commands.Desk) (Made, error)) (err error) {
	if config.MasterKeys, err = f.Given(r); err != nil {
		return err
	}
	return f.PracticeFlags.Do(r, config, tenant, act)
}

// ShowingFlags are the flags of every command that hides personal data unless it is asked
// for.
type ShowingFlags struct {
	MasterKeyFlags `embed:""`
	ShowPersonal   bool `help:"Show personal data, which is hidden otherwise. It needs the master key, and is recorded."`
}

// OpenToShow opens the engine. Nothing personal is opened unless it is to be shown, and then the
// master key is needed if personal data is sealed.
func (f ShowingFlags) OpenToShow(r *Run, database DatabaseFlag) (*app.Engine, error) {
	if !f.ShowPersonal {
		return database.Open(r)
	}
	return database.OpenAll(r, f.MasterKeyFlags)
}

// OpenAll opens the engine of a command that reads personal data.
func (f DatabaseFlag) OpenAll(r *Run, key MasterKeyFlags) (*app.Engine, error) {
	engine, err := f.OpenWith(r, key)
	if err != nil {
		return nil, err
	}
	if err := engine.CanOpen(); err != nil {
		engine.Close()
		return nil, err
	}
	return engine, nil
}
