package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/go-jose/go-jose/v4"

	"frontdesk/cmd/frontdesk/sandbox"
	"frontdesk/domain/application"
)

type keygenCmd struct {
	Key  string `default:"application-key.pem" placeholder:"FILE" help:"Where the private key goes (PEM, RSA of 2048 bits). It never leaves your side."`
	JWKS string `name:"jwks" default:"jwks.json" placeholder:"FILE" help:"The key set that gains the public key; it is made if there is none. Publish it at your JWKS URL."`
	KID  string `name:"kid" help:"The key's kid; without it, the key's thumbprint (RFC 7638)."`
	JSON bool   `name:"json" help:"Print one JSON object."`
}

// Run makes the key. Older keys stay in the set, as rotation asks for (§5.7).
func (c *keygenCmd) Run(r *run) error {
	set, err := readSet(c.JWKS)
	if err != nil {
		return err
	}
	if len(set.Key(c.KID)) > 0 {
		return fmt.Errorf("%s has a key with the kid %q: each has its own, so choose another", c.JWKS, c.KID)
	}
	if err := sandbox.MakeKey(c.Key); errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("%s exists and is not written over: choose another file with --key", c.Key)
	} else if err != nil {
		return err
	}
	minter, err := sandbox.NewMinter(c.Key, c.KID, application.ID{})
	if err != nil {
		return err
	}
	set.Keys = append(set.Keys, minter.JWK())
	if err := writeSet(c.JWKS, set); err != nil {
		return err
	}
	return c.print(r, minter.JWK().KeyID)
}

func (c *keygenCmd) print(r *run, kid string) error {
	if c.JSON {
		return json.NewEncoder(r.Out).Encode(made{"key": c.Key, "jwks": c.JWKS, "kid": kid})
	}
	_, err := fmt.Fprintf(r.Out, "key: %s\njwks: %s\nkid: %s\n", c.Key, c.JWKS, kid)
	return err
}

func readSet(file string) (set jose.JSONWebKeySet, err error) {
	data, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return set, nil
	}
	if err == nil {
		err = json.Unmarshal(data, &set)
	}
	if err != nil {
		return set, fmt.Errorf("read key set %s: %w", file, err)
	}
	return set, nil
}

// writeSet replaces the file as a whole: whoever serves it serves the old set
// or the new one.
func writeSet(file string, set jose.JSONWebKeySet) error {
	data, err := json.MarshalIndent(set, "", "  ")
	if err == nil {
		err = os.WriteFile(file+".new", append(data, '\n'), 0o644)
	}
	if err == nil {
		err = os.Rename(file+".new", file)
	}
	if err != nil {
		return fmt.Errorf("write key set %s: %w", file, err)
	}
	return nil
}
