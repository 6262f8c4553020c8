package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"text/tabwriter"
	"time"

	"frontdesk/cmd/frontdesk/app"
	"frontdesk/commands"
	"frontdesk/domain/signingkey"
	"frontdesk/projections"
)

type keysCmd struct {
	List     keysListCmd     `cmd:"" help:"List the service's keys and where each is in its life."`
	Stage    keysStageCmd    `cmd:"" help:"Make a key and publish it. It signs nothing yet."`
	Activate keysActivateCmd `cmd:"" help:"Let a staged key sign from now on, 24 hours after it was published."`
	Retire   keysRetireCmd   `cmd:"" help:"Stop publishing a key, 24 hours after it stopped signing; or, in need, stop the active key from signing at once."`
}

type keysListCmd struct {
	databaseFlag `embed:""`
	JSON         bool `name:"json" help:"Print one JSON object a line."`
}

// listedKey is a key as it is listed.
type listedKey struct {
	KID       signingkey.KID       `json:"kid"`
	State     signingkey.State     `json:"state"`
	Since     time.Time            `json:"since"`
	StagedAt  time.Time            `json:"stagedAt"`
	PublicKey signingkey.PublicKey `json:"publicKey"`
}

// Run lists the keys.
func (c *keysListCmd) Run(r *run) error {
	engine, err := app.Open(r.ctx, app.Config{DatabaseURL: c.DatabaseURL})
	if err != nil {
		return err
	}
	defer engine.Close()
	keys, err := engine.SigningKeys().All(r.ctx)
	if err != nil {
		return err
	}
	if c.JSON {
		encoder := json.NewEncoder(r.Out)
		for _, k := range keys {
			if err := encoder.Encode(listedKey{k.KID, k.State, k.Since.UTC(), k.StagedAt.UTC(), k.Public}); err != nil {
				return err
			}
		}
		return nil
	}
	table := tabwriter.NewWriter(r.Out, 0, 8, 2, ' ', 0)
	fmt.Fprintln(table, "KID\tSTATE\tSINCE\tNEXT")
	for _, k := range keys {
		fmt.Fprintf(table, "%s\t%s\t%s\t%s\n", k.KID, k.State, k.Since.UTC().Format(time.RFC3339), next(k))
	}
	return table.Flush()
}

// next is what can be done with a key, and when.
func next(k projections.SigningKey) string {
	switch k.State {
	case signingkey.StateStaged:
		return "activate, from " + k.Since.Add(signingkey.StagedFor).UTC().Format(time.RFC3339)
	case signingkey.StateRetiring:
		return "retire, from " + k.Since.Add(signingkey.RetiringFor).UTC().Format(time.RFC3339)
	case signingkey.StateActive, signingkey.StateRetired:
	}
	return ""
}

type keysStageCmd struct {
	engineFlags    `embed:""`
	masterKeyFlags `embed:""`
}

// Run stages a key.
func (c *keysStageCmd) Run(r *run) error {
	master, err := c.read()
	if err != nil {
		return err
	}
	return c.do(r, app.Config{MasterKey: master}, "", func(ctx context.Context, desk commands.Desk) (made, error) {
		kid, err := desk.StageSigningKey(ctx)
		return made{"kid": kid}, err
	})
}

// keyFlags name a key, in either of two ways.
type keyFlags struct {
	Named signingkey.KID `arg:"" optional:"" name:"kid" help:"The key's kid, as \"frontdesk keys list\" shows it."`
	KID   signingkey.KID `name:"kid" placeholder:"KID" help:"The same."`
}

func (f keyFlags) kid() (signingkey.KID, error) {
	if f.Named == "" && f.KID == "" {
		return "", errors.New("which key? give its kid, as \"frontdesk keys list\" shows it")
	}
	return f.Named + f.KID, nil
}

type keysActivateCmd struct {
	engineFlags    `embed:""`
	masterKeyFlags `embed:""`
	keyFlags       `embed:""`
}

// Run activates the key. It takes the master key, so that no key is activated
// that cannot sign.
func (c *keysActivateCmd) Run(r *run) error {
	kid, err := c.kid()
	if err != nil {
		return err
	}
	master, err := c.read()
	if err != nil {
		return err
	}
	return c.do(r, app.Config{MasterKey: master}, "", func(ctx context.Context, desk commands.Desk) (made, error) {
		return nil, desk.ActivateSigningKey(ctx, commands.ActivateSigningKey{KID: kid})
	})
}

type keysRetireCmd struct {
	engineFlags    `embed:""`
	masterKeyFlags `embed:""` // not needed; given to all keys commands alike
	keyFlags       `embed:""`
}

// Run retires the key.
func (c *keysRetireCmd) Run(r *run) error {
	kid, err := c.kid()
	if err != nil {
		return err
	}
	return c.do(r, app.Config{}, "", func(ctx context.Context, desk commands.Desk) (made, error) {
		return nil, desk.RetireSigningKey(ctx, commands.RetireSigningKey{KID: kid})
	})
}
