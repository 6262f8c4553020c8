package service

import (
	"crypto/rand"
	"fmt"
	"net/url"
	"strings"
	"time"

	"golang.org/x/mod/sumdb/note"

	"frontdesk/adapters/notary"
	"frontdesk/cmd/frontdesk/app"
	"frontdesk/cmd/frontdesk/cli/term"
	"frontdesk/domain/proof"
)

// SignCmd signs checkpoints of the logs.
type SignCmd struct {
	term.DatabaseFlag `embed:""`
	configFlag        `embed:""`
	term.LogFlags     `embed:""`
	LogKeyFile        string        `required:"" placeholder:"FILE" help:"The key that signs, as \"key make-log\" has written it."`
	State             string        `required:"" type:"folder" placeholder:"DIR" help:"Folder for the signed state, used by this command only. Create it once, and back it up."`
	Witness           []string      `placeholder:"URL" help:"A witness that cosigns, as the prefix of its submission URLs; may be repeated."`
	WitnessKey        []string      `placeholder:"VKEY" help:"Verifier key of a witness, as \"key make-witness\" has printed it; one for each."`
	Every             time.Duration `default:"10s" help:"How often to sign."`
	MetricsListen     string        `placeholder:"HOST:PORT" help:"Where metrics are served. Without it, they are not served."`
	RereadEvery       time.Duration `default:"1h" help:"How long to wait, on average, before everything is read again. The moments are random."`
	VerifyAll         bool          `help:"Read everything again before signing. It is also read every --reread-every."`
	Adopt             bool          `env:"-" help:"Continue from the published checkpoints, because the folder is lost. Anything signed after them is no longer protected."`
	ChangeKey         bool          `env:"-" help:"Sign with another key than the one in the folder. Hand out its verifier key first."`
	AcceptEpoch       int           `env:"-" placeholder:"N" help:"Continue in epoch N, although the log before it differs or more is lost than usual; or end the alert about what epoch N has lost. Find out why first."`
}

// Help returns the details, which a help text has no room for.
func (c *SignCmd) Help() string {
	return `Run one, on another machine than the database and the service, with the role frontdesk_audit. Every 10 s it reads what is new in
the event log and in the access record, signs a checkpoint of each practice's (how many events, and the root of their tree), has the
witnesses cosign it, and publishes it in the database: "frontdesk audit checkpoint" shows it.
It keeps its signed state in --state, and trusts nothing that the database holds about it. It reads the last event again each time,
and everything about once an hour. It no longer signs a log that is shorter than it was, has a gap, or has changed: it logs an error, and
frontdesk_signer_alarms is not 0. It waits for a database that is away, and for a standby to be promoted.
After a restore or a lost end the service begins an epoch, and signing goes on under another origin. If more than 1,000 entries are
lost, or more than ten minutes of them, it waits for --accept-epoch.`
}

// Run signs until it is stopped.
func (c *SignCmd) Run(r *term.Run) error {
	key, err := notary.ReadKey(c.LogKeyFile)
	if err != nil {
		return err
	}
	witnesses, err := witnessKeys(c.Witness, c.WitnessKey)
	if err != nil {
		return err
	}
	return app.Sign{
		Now:         r.Now,
		DatabaseURL: c.DatabaseURL, Key: key, Dir: c.State, Witnesses: c.Witness, WitnessKeys: witnesses, Every: c.Every, RereadEvery: c.RereadEvery,
		MetricsListen: c.MetricsListen, Log: c.Log(r.Err),
		VerifyAll: c.VerifyAll, Adopt: c.Adopt, ChangeKey: c.ChangeKey, AcceptEpoch: c.AcceptEpoch,
	}.Run(r.Context)
}

// witnessKeys reads the verifier keys of witnesses. Each witness needs one.
func witnessKeys(witnesses, vkeys []string) (keys []note.Verifier, err error) {
	if len(witnesses) != len(vkeys) {
		return nil, fmt.Errorf("give as many --witness-key as --witness: they are %d and %d", len(vkeys), len(witnesses))
	}
	for _, witness := range witnesses {
		if at, err := url.Parse(witness); err != nil || at.Host == "" || at.Scheme != "https" && at.Scheme != "http" {
			return nil, fmt.Errorf("%q is no address of a witness: give one such as https://witness.example", witness)
		}
	}
	given := map[string]bool{}
	for _, vkey := range vkeys {
		key, err := proof.NewWitnessVerifier(strings.TrimSpace(vkey))
		if err != nil {
			return nil, err
		}
		id := fmt.Sprintf("%s+%08x", key.Name(), key.KeyHash())
		if given[id] {
			return nil, fmt.Errorf("--witness-key has %s twice: give it once", id)
		}
		given[id], keys = true, append(keys, key)
	}
	return keys, nil
}

type keysMakeLogKeyCmd struct {
	Name string `required:"" placeholder:"HOST" help:"The name of the service in its checkpoints: the host of its API. It never changes."`
	Out  string `required:"" placeholder:"FILE" help:"Where the private key goes. It never leaves the signer."`
	Like string `placeholder:"FILE" help:"The key that this one takes the place of. Both have the same salt, so the logs keep their names."`
}

// Run makes a key and prints its public half.
func (c *keysMakeLogKeyCmd) Run(r *term.Run) error {
	salt, err := c.salt()
	if err != nil {
		return err
	}
	private, err := notary.MakeKey(c.Name, salt)
	if err != nil {
		return err
	}
	key, err := notary.ParseKey(private)
	if err != nil {
		return err
	}
	if err := term.WriteKey(c.Out, private); err != nil {
		return err
	}
	_, err = fmt.Fprintln(r.Out, key.Verifier)
	return err
}

// salt returns that of the key that is replaced, or a new one.
func (c *keysMakeLogKeyCmd) salt() (proof.Salt, error) {
	if c.Like == "" {
		return proof.NewSalt(rand.Reader)
	}
	like, err := notary.ReadKey(c.Like)
	return like.Salt, err
}

type keysShowSaltCmd struct {
	LogKeyFile string `arg:"" name:"file" help:"The key that signs, as \"key make-log\" has written it."`
}

// Run prints the salt of the logs.
func (c *keysShowSaltCmd) Run(r *term.Run) error {
	key, err := notary.ReadKey(c.LogKeyFile)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintln(r.Out, key.Salt)
	return err
}
