package service

import (
	"errors"
	"fmt"

	"frontdesk/adapters/sealing"
	"frontdesk/cmd/frontdesk/app"
	"frontdesk/cmd/frontdesk/cli/term"
)

type keysChangeMasterCmd struct {
	term.DatabaseFlag   `embed:""`
	term.MasterKeyFlags `embed:""`
	NewMasterKeyFile    string     `placeholder:"FILE" instead:"new master key" help:"File with the master key that takes its place."`
	NewMasterKeyCommand term.Words `sep:" " placeholder:"COMMAND" instead:"new master key" help:"Command that prints the master key that takes its place."`
	Retire              bool       `help:"End the old one, once every process has been restarted with the new one alone. It is refused while anything is wrapped under it."`
}

var errNoNewKey = errors.New("there is no master key to take the old one's place: name its file with --new-master-key-file")

// Run wraps every key again. Ctrl-C stops it, and the next run goes on from there.
func (c *keysChangeMasterCmd) Run(r *term.Run) error {
	old, err := c.Read(r)
	if err != nil {
		return err
	}
	master, err := term.KeySource{File: c.NewMasterKeyFile, Command: c.NewMasterKeyCommand}.Read(r.Context)
	if err != nil {
		return err
	}
	if master == (sealing.MasterKey{}) {
		return errNoNewKey
	}
	config := app.Config{DatabaseURL: c.DatabaseURL, MasterKey: master, OldMasterKey: old}
	keys, err := app.ChangeMaster(r.Context, config, c.Retire)
	if err != nil {
		return err
	}
	fmt.Fprintf(r.Out, "%d keys were wrapped under master key %s\n", keys, master.ID())
	if c.Retire {
		fmt.Fprintf(r.Out, "master key %s is retired: destroy it, once no backup is needed that was made before\n", old.ID())
		return nil
	}
	fmt.Fprintln(r.Out, "now restart every process with the new master key alone, and run this again with --retire")
	return nil
}
