package term

import (
	"context"

	"frontdesk/adapters/sealing"
	"frontdesk/cmd/frontdesk/app"
	"frontdesk/commands"
)

// MasterKeyFlags are the flags of everything that seals or opens: personal data, and the
// keys that webhooks are signed with.
type MasterKeyFlags struct {
	MasterKeyFile    string `placeholder:"FILE" instead:"master key" help:"File with the master key, which encrypts personal data and signing keys in the database: 32 random bytes, as \"openssl rand -base64 32\" prints them."`
	MasterKeyCommand Words  `sep:" " placeholder:"COMMAND" instead:"master key" help:"Command that prints the master key. It is not run by a shell."`
	MasterKey        string `placeholder:"BASE64" instead:"master key" secret:"" help:"The master key itself: for the environment, never for a command line."`
}

// Read returns the master key; [sealing.ErrNoMasterKey] if no flag is given.
func (f MasterKeyFlags) Read(r *Run) (sealing.MasterKey, error) {
	key, err := f.Given(r)
	if err == nil && key == (sealing.MasterKey{}) {
		err = sealing.ErrNoMasterKey
	}
	return key, err
}

// Given returns the master key, and the zero one, which opens nothing, if no flag is
// given.
func (f MasterKeyFlags) Given(r *Run) (sealing.MasterKey, error) {
	source := KeySource{f.MasterKeyFile, f.MasterKeyCommand}
	if f.MasterKey == "" || f.MasterKeyFile != "" {
		return source.Read(r.Context)
	}
	if len(f.MasterKeyCommand) > 0 {
		return sealing.MasterKey{}, errTwoKeys
	}
	return sealing.ParseMasterKey(f.MasterKey)
}

// OldKeyFlags are the flags of what has two master keys, while one takes the other's place.
type OldKeyFlags struct {
	OldMasterKeyFile    string `placeholder:"FILE" instead:"old master key" help:"File with the previous master key, during a change of key."`
	OldMasterKeyCommand Words  `sep:" " placeholder:"COMMAND" instead:"old master key" help:"Command that prints the previous master key, during a change of key."`
}

// ReadOld returns the master key before, and the zero one if no flag is given.
func (f OldKeyFlags) ReadOld(r *Run) (sealing.MasterKey, error) {
	return KeySource{f.OldMasterKeyFile, f.OldMasterKeyCommand}.Read(r.Context)
}

// OpenWith opens the engine with the master key, if one is given.
func (f DatabaseFlag) OpenWith(r *Run, key MasterKeyFlags) (*app.Engine, error) {
	master, err := key.Given(r)
	if err != nil {
		return nil, err
	}
	return app.Open(r.Context, app.Config{DatabaseURL: f.DatabaseURL, MasterKey: master})
}

// SealingFlags are the flags of every command about a practice that appends what is
// personal.
type SealingFlags struct {
	PracticeFlags  `embed:""`
	MasterKeyFlags `embed:""`
}

// Do does what [EngineFlags.Do] does, with the master key.
func (f SealingFlags) Do(r *Run, config app.Config, tenant string, act func(context.Context, commands.Desk) (Made, error)) (err error) {
	if config.MasterKey, err = f.Given(r); err != nil {
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

// OpenAll opens the engine of a command that needs what is personal.
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
