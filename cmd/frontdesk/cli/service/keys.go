package service

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"text/tabwriter"
	"time"

	"frontdesk/cmd/frontdesk/app"
	"frontdesk/cmd/frontdesk/cli/term"
	"frontdesk/commands"
	"frontdesk/domain/signingkey"
	"frontdesk/projections"
)

// KeysCmd holds what is done with keys: those that sign webhooks, logs and cosignatures, and the master key.
type KeysCmd struct {
	List     keysListCmd     `cmd:"" help:"List the service's keys and where each is in its life."`
	Stage    keysStageCmd    `cmd:"" help:"Make a key and publish it. It signs nothing yet."`
	Activate keysActivateCmd `cmd:"" help:"Let a staged key sign from now on, 24 hours after it was published, or at once if no key signs."`
	Retire   keysRetireCmd   `cmd:"" help:"Stop publishing a key, 24 hours after it stopped signing; or, in an emergency, stop the active key from signing at once, which it asks about."`

	MakeLogKey     keysMakeLogKeyCmd     `cmd:"" help:"Make the key that frontdesk sign signs with, and print the verifier key to hand out."`
	MakeWitnessKey keysMakeWitnessKeyCmd `cmd:"" help:"Make the key of a witness, and print the verifier key to hand out."`

	RotateMaster keysRotateMasterCmd `cmd:"" help:"Rotate the master key while the service runs, or show where that is."`
	RetireMaster keysRetireMasterCmd `cmd:"" help:"Remove replaced master keys from the ring."`
	Destroyed    keysDestroyedCmd    `cmd:"" help:"Record that no copy of a master key is left."`
}

type keysListCmd struct {
	term.DatabaseFlag `embed:""`
	JSON              bool `name:"json" help:"Print one JSON object a line."`
}

// listedKey is a key as it is listed.
type listedKey struct {
	KID          signingkey.KID       `json:"kid"`
	State        signingkey.State     `json:"state"`
	Since        time.Time            `json:"since"`
	StagedAt     time.Time            `json:"stagedAt"`
	ActivateFrom time.Time            `json:"activateFrom,omitzero"` // when that is allowed
	RetireFrom   time.Time            `json:"retireFrom,omitzero"`
	PublicKey    signingkey.PublicKey `json:"publicKey"`
}

// Run lists the keys.
func (c *keysListCmd) Run(r *term.Run) error {
	keys, err := listed(r, c.DatabaseFlag)
	if err != nil {
		return err
	}
	if c.JSON {
		return printKeys(r.Out, keys)
	}
	table := tabwriter.NewWriter(r.Out, 0, 8, 2, ' ', 0)
	fmt.Fprintln(table, "KID\tSTATE\tSINCE\tNEXT")
	for _, k := range keys {
		if err := term.Row(table, k.KID, k.State, k.Since.UTC().Format(time.RFC3339), next(k, signs(keys))); err != nil {
			return err
		}
	}
	return table.Flush()
}

func printKeys(w io.Writer, keys []projections.SigningKey) error {
	encoder := json.NewEncoder(w)
	for _, k := range keys {
		can := steps(k, signs(keys))
		listed := listedKey{k.KID, k.State, k.Since.UTC(), k.StagedAt.UTC(), can.activate, can.retire, k.Public}
		if err := encoder.Encode(listed); err != nil {
			return err
		}
	}
	return nil
}

type keysStageCmd struct {
	term.EngineFlags    `embed:""`
	term.MasterKeyFlags `embed:""`
}

// Run stages a key.
func (c *keysStageCmd) Run(r *term.Run) error {
	master, err := c.Read(r)
	if err != nil {
		return err
	}
	return c.Do(r, app.Config{MasterKeys: master}, "", func(ctx context.Context, desk commands.Desk) (term.Made, error) {
		kid, err := desk.StageSigningKey(ctx)
		return term.Made{"kid": kid}, err
	})
}

// keyFlags name a key, as an argument or as a flag.
type keyFlags struct {
	Named signingkey.KID `arg:"" optional:"" name:"kid" help:"The key's kid, as \"frontdesk keys list\" shows it."`
	KID   signingkey.KID `name:"kid" placeholder:"KID" help:"The same."`
}

func (f keyFlags) kid() (signingkey.KID, error) {
	if f.Named == "" && f.KID == "" {
		return "", errors.New("give the kid of a key, as \"frontdesk keys list\" shows it")
	}
	return f.Named + f.KID, nil
}

type keysActivateCmd struct {
	term.EngineFlags    `embed:""`
	term.MasterKeyFlags `embed:""`
	keyFlags            `embed:""`
}

// Run activates the key. It takes the master key, so that no key is activated
// that cannot sign.
func (c *keysActivateCmd) Run(r *term.Run) error {
	kid, err := c.kid()
	if err != nil {
		return err
	}
	master, err := c.Read(r)
	if err != nil {
		return err
	}
	return c.Do(r, app.Config{MasterKeys: master}, "", func(ctx context.Context, desk commands.Desk) (term.Made, error) {
		return nil, desk.ActivateSigningKey(ctx, commands.ActivateSigningKey{KID: kid})
	})
}
