package service

import (
	"crypto/rand"
	"errors"
	"fmt"
	"net/netip"
	"os"
	"strconv"
	"strings"
	"time"

	"golang.org/x/mod/sumdb/note"

	"frontdesk/adapters/statedir"
	"frontdesk/adapters/witness"
	"frontdesk/cmd/frontdesk/app"
	"frontdesk/cmd/frontdesk/cli/term"
	"frontdesk/domain/proof"
)

// WitnessCmd cosigns checkpoints of other services.
type WitnessCmd struct {
	configFlag    `embed:""`
	term.LogFlags `embed:""`
	KeyFile       string         `required:"" placeholder:"FILE" help:"The witness's private key, as \"key make-witness\" has written it."`
	State         string         `required:"" type:"folder" placeholder:"DIR" help:"Folder for the cosigned state, used by this command only. Never lose it."`
	New           bool           `env:"-" help:"Start a new witness, which has cosigned nothing yet. Use it once, and never because the folder is empty."`
	Listen        string         `required:"" placeholder:"HOST:PORT" help:"Where the witness is served, behind your TLS."`
	LogKey        []string       `required:"" placeholder:"VKEY" help:"Verifier key of a service to witness, as \"key make-log\" has printed it; may be repeated."`
	AcceptEpoch   []string       `env:"-" placeholder:"NAME=N" help:"Let the logs of this name begin epoch N without proofs, once their operator has explained the loss; may be repeated."`
	TrustedProxy  []netip.Prefix `placeholder:"CIDR" help:"Network of proxies whose X-Forwarded-For gives the source of requests; may be repeated."`
}

// Run cosigns until it is stopped.
func (c *WitnessCmd) Run(r *term.Run) (err error) {
	w := &witness.Witness{Log: c.Log(r.Err), Now: r.Now}
	if w.Logs, err = logKeys(c.LogKey); err != nil {
		return err
	}
	if w.AcceptEpoch, err = acceptedEpochs(c.AcceptEpoch); err != nil {
		return err
	}
	if w.Key, err = readCosigner(c.KeyFile, r.Now); err != nil {
		return err
	}
	dir, err := statedir.Open(c.State)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, dir.Close()) }()
	if err := witness.Begin(dir, w.Key, c.New); err != nil {
		return fmt.Errorf("begin with the state in %s: %w", c.State, err)
	}
	w.State = dir
	fmt.Fprintln(r.Err, "This witness is", w.Key)
	return app.Serve(r.Context, c.Listen, w.Handler(c.TrustedProxy), w.Log)
}

// acceptedEpochs reads epochs, each behind the name of a service.
func acceptedEpochs(all []string) (map[string]int, error) {
	accepted := map[string]int{}
	for _, text := range all {
		name, number, _ := strings.Cut(text, "=")
		epoch, err := strconv.Atoi(number)
		if err != nil || name == "" || epoch < 2 {
			return nil, fmt.Errorf("--accept-epoch %q is no epoch of a service: give one such as api.example=2", text)
		}
		accepted[name] = epoch
	}
	return accepted, nil
}

// logKeys reads verifier keys of services. One that is given twice would verify nothing.
func logKeys(vkeys []string) (keys []note.Verifier, err error) {
	given := map[string]bool{}
	for _, vkey := range vkeys {
		key, err := note.NewVerifier(strings.TrimSpace(vkey))
		if err != nil {
			return nil, fmt.Errorf("%q is no verifier key of a log: give the line that \"key make-log\" has printed", vkey)
		}
		id := fmt.Sprintf("%s+%08x", key.Name(), key.KeyHash())
		if given[id] {
			return nil, fmt.Errorf("--log-key has %s twice: give it once", id)
		}
		given[id], keys = true, append(keys, key)
	}
	return keys, nil
}

func readCosigner(file string, now func() time.Time) (proof.Cosigner, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return proof.Cosigner{}, fmt.Errorf("read the witness's key: %w", err)
	}
	return proof.NewCosigner(strings.TrimSpace(string(text)), now)
}

type keysMakeWitnessKeyCmd struct {
	Name string `required:"" placeholder:"HOST" help:"The name of the witness in its cosignatures: a host name of its operator."`
	Out  string `required:"" placeholder:"FILE" help:"Where the private key goes. It never leaves the witness."`
}

// Run makes a key and prints its public half.
func (c *keysMakeWitnessKeyCmd) Run(r *term.Run) error {
	private, public, err := proof.GenerateWitnessKey(rand.Reader, c.Name)
	if err != nil {
		return err
	}
	if err := term.WriteKey(c.Out, private); err != nil {
		return err
	}
	_, err = fmt.Fprintln(r.Out, public)
	return err
}
