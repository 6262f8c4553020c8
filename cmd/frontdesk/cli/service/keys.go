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

// KeyCmd holds the verbs of keys: those that sign webhooks, logs and cosignatures, and the master key.
type KeyCmd struct {
	List     keysListCmd     `cmd:"" help:"List the keys that sign webhooks." detail:"It shows the state of each key."`
	Stage    keysStageCmd    `cmd:"" help:"Create a signing key and publish it." detail:"It signs nothing yet."`
	Activate keysActivateCmd `cmd:"" help:"Start signing with a staged key." detail:"That is allowed 24 hours after it was published, or at once if no key signs."`
	Retire   keysRetireCmd   `cmd:"" help:"Stop publishing a signing key." detail:"That is allowed 24 hours after it stopped signing. In an emergency, stop the active key from signing at once, which it asks about."`

	ShowSalt    keysShowSaltCmd       `cmd:"" help:"Show the salt of the logs." detail:"Hand it to auditors with the verifier key. Witnesses do not need it."`
	MakeLog     keysMakeLogKeyCmd     `cmd:"" help:"Make the key that signs the log." detail:"\"frontdesk sign\" signs with it. Prints the verifier key to hand out."`
	MakeWitness keysMakeWitnessKeyCmd `cmd:"" help:"Make the key of a witness." detail:"Prints the verifier key to hand out."`

	RotateMaster keysRotateMasterCmd `cmd:"" help:"Rotate the master key while the service runs." detail:"Run it as the owner of the database, or --check to see the next step. A rotation that was stopped goes on."`
	RetireMaster keysRetireMasterCmd `cmd:"" help:"Remove replaced master keys from the ring." detail:"It keeps those that a backup needs."`
	Destroyed    keysDestroyedCmd    `cmd:"" help:"Record that a master key is destroyed." detail:"Erasures of its time are final from then on."`
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
	Bits                int `enum:"2048,3072,4096" default:"2048" help:"Size of the RSA key: 2048, 3072 or 4096 bits."`
}

// Run stages a key.
func (c *keysStageCmd) Run(r *term.Run) error {
	master, err := c.Read(r)
	if err != nil {
		return err
	}
	return c.Do(r, app.Config{MasterKeys: master, SigningKeyBits: c.Bits}, "", func(ctx context.Context, desk commands.Desk) (term.Made, error) {
		kid, err := desk.StageSigningKey(ctx)
		return term.Made{"kid": kid}, err
	})
}

// keyFlags name a key, as an argument or as a flag.
type keyFlags struct {
	Named signingkey.KID `arg:"" optional:"" name:"kid" help:"The key's kid, as \"frontdesk key list\" shows it."`
	KID   signingkey.KID `name:"kid" placeholder:"KID" help:"Same as the <kid> argument."`
}

func (f keyFlags) kid() (signingkey.KID, error) {
	if f.Named == "" && f.KID == "" {
		return "", errors.New("give the kid of a key, as \"frontdesk key list\" shows it")
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
