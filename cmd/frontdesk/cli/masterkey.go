package cli

import (
	"context"

	"frontdesk/adapters/sealing"
	"frontdesk/cmd/frontdesk/app"
	"frontdesk/commands"
)

// masterKeyFlags are the flags of everything that seals or opens: personal data, and the
// keys that webhooks are signed with.
type masterKeyFlags struct {
	MasterKeyFile    string `placeholder:"FILE" instead:"master key" help:"File with the master key, which seals personal data and signing keys in the database: 32 random bytes, as \"openssl rand -base64 32\" prints them."`
	MasterKeyCommand words  `sep:" " placeholder:"COMMAND" instead:"master key" help:"Command that prints the master key, as its words. No shell reads them."`
	MasterKey        string `placeholder:"BASE64" instead:"master key" secret:"" help:"The master key itself: for the environment, never for a command line."`
}

// read returns the master key; [sealing.ErrNoMasterKey] if no flag is given.
func (f masterKeyFlags) read(r *run) (sealing.MasterKey, error) {
	key, err := f.given(r)
	if err == nil && key == (sealing.MasterKey{}) {
		err = sealing.ErrNoMasterKey
	}
	return key, err
}

// given returns the master key, and the zero one, which opens nothing, if no flag is
// given.
func (f masterKeyFlags) given(r *run) (sealing.MasterKey, error) {
	source := keySource{f.MasterKeyFile, f.MasterKeyCommand}
	if f.MasterKey == "" || f.MasterKeyFile != "" {
		return source.read(r.ctx)
	}
	if len(f.MasterKeyCommand) > 0 {
		return sealing.MasterKey{}, errTwoKeys
	}
	return sealing.ParseMasterKey(f.MasterKey)
}

// oldKeyFlags are the flags of what has two master keys, while one takes the other's place.
type oldKeyFlags struct {
	OldMasterKeyFile    string `placeholder:"FILE" instead:"old master key" help:"File with the master key before, while \"keys change-master\" puts another in its place."`
	OldMasterKeyCommand words  `sep:" " placeholder:"COMMAND" instead:"old master key" help:"Command that prints the master key before."`
}

// readOld returns the master key before, and the zero one if no flag is given.
func (f oldKeyFlags) readOld(r *run) (sealing.MasterKey, error) {
	return keySource{f.OldMasterKeyFile, f.OldMasterKeyCommand}.read(r.ctx)
}

// openWith opens the engine with the master key, if one is given.
func (f databaseFlag) openWith(r *run, key masterKeyFlags) (*app.Engine, error) {
	master, err := key.given(r)
	if err != nil {
		return nil, err
	}
	return app.Open(r.ctx, app.Config{DatabaseURL: f.DatabaseURL, MasterKey: master})
}

// sealingFlags are the flags of every command about a practice that appends what is
// personal.
type sealingFlags struct {
	practiceFlags  `embed:""`
	masterKeyFlags `embed:""`
}

// do does what [engineFlags.do] does, with the master key.
func (f sealingFlags) do(r *run, config app.Config, tenant string, act func(context.Context, commands.Desk) (made, error)) (err error) {
	if config.MasterKey, err = f.given(r); err != nil {
		return err
	}
	return f.practiceFlags.do(r, config, tenant, act)
}

// showingFlags are the flags of every command that hides personal data unless it is asked
// for.
type showingFlags struct {
	masterKeyFlags `embed:""`
	ShowPersonal   bool `help:"Show personal data, which is hidden otherwise; it needs the master key. That you did is recorded."`
}

// openToShow opens the engine. Nothing personal is opened unless it is to be shown, and then the
// master key is needed if personal data is sealed.
func (f showingFlags) openToShow(r *run, database databaseFlag) (*app.Engine, error) {
	if !f.ShowPersonal {
		return database.open(r)
	}
	return database.openAll(r, f.masterKeyFlags)
}

// openAll opens the engine of a command that needs what is personal.
func (f databaseFlag) openAll(r *run, key masterKeyFlags) (*app.Engine, error) {
	engine, err := f.openWith(r, key)
	if err != nil {
		return nil, err
	}
	if err := engine.CanOpen(); err != nil {
		engine.Close()
		return nil, err
	}
	return engine, nil
}
