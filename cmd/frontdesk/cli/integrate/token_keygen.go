package integrate

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"frontdesk.example/client"

	"frontdesk/cmd/frontdesk/cli/term"
)

type keygenCmd struct {
	Key  string `default:"application-key.pem" placeholder:"FILE" help:"Where the private key goes (PEM, RSA of 2048 bits). Never share it."`
	JWKS string `name:"jwks" default:"jwks.json" placeholder:"FILE" help:"The key set that the public key is added to. It is created if it does not exist. Publish it at your JWKS URL."`
	KID  string `name:"kid" help:"The key's kid; without it, the key's thumbprint (RFC 7638)."`
	JSON bool   `name:"json" help:"Print one JSON object."`
}

// Run makes the key. Older keys stay in the set, because rotation needs both. A key that
// could not be published is removed again, so that the command can be repeated.
func (c *keygenCmd) Run(r *term.Run) error {
	place, err := r.Output(c.JWKS)
	if err != nil {
		return err
	}
	if !place.Whole || place.Is(term.Output{Name: c.Key}) {
		return errKeySetFile
	}
	set, err := readSet(place.Name)
	if err != nil {
		return err
	}
	if c.KID != "" && set.has(c.KID) {
		return fmt.Errorf("%s has a key with the kid %q: each has its own, so choose another", c.JWKS, c.KID)
	}
	err = client.GenerateKey(c.Key)
	if errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("%s exists and is not written over: choose another file with --key", c.Key)
	}
	if err != nil {
		return err
	}
	kid, err := c.publish(place, set)
	if err != nil {
		return errors.Join(err, os.Remove(c.Key))
	}
	return c.print(r, kid)
}

var errKeySetFile = errors.New("the key set is a file of its own, to be published: name another with --jwks")

// publish adds the public key to the set.
func (c *keygenCmd) publish(place term.Output, set keySet) (kid string, err error) {
	key, err := client.ReadKey(c.KID, c.Key)
	if err != nil {
		return "", err
	}
	signer, err := client.NewSigner(key)
	if err != nil {
		return "", err
	}
	if err := set.add(signer.KeySet()); err != nil {
		return "", err
	}
	return key.KID, set.write(place.Name)
}

func (c *keygenCmd) print(r *term.Run, kid string) error {
	if c.JSON {
		return json.NewEncoder(r.Out).Encode(term.Made{"key": c.Key, "jwks": c.JWKS, "kid": kid})
	}
	_, err := fmt.Fprintf(r.Out, "key: %s\njwks: %s\nkid: %s\n", c.Key, c.JWKS, kid)
	return err
}

// keySet is a published key set. It keeps keys and members that this program does not know.
type keySet struct {
	members map[string]json.RawMessage
	keys    []json.RawMessage
}

// readSet reads a file; it is an empty set if there is none.
func readSet(file string) (set keySet, err error) {
	set.members = map[string]json.RawMessage{}
	data, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return set, nil
	}
	if err != nil {
		return set, fmt.Errorf("read key set %s: %w", file, err)
	}
	if err := json.Unmarshal(data, &set.members); err != nil {
		return set, fmt.Errorf("read key set %s: %w", file, err)
	}
	if err := json.Unmarshal(set.members["keys"], &set.keys); err != nil {
		return set, fmt.Errorf("%s is no key set, because it has no list of \"keys\": name another file with --jwks", file)
	}
	return set, nil
}

func (s *keySet) has(kid string) bool {
	for _, key := range s.keys {
		var named struct {
			KID string `json:"kid"`
		}
		if json.Unmarshal(key, &named) == nil && named.KID == kid {
			return true
		}
	}
	return false
}

// add adds the keys of another set.
func (s *keySet) add(other []byte) (err error) {
	var added struct{ Keys []json.RawMessage }
	if err := json.Unmarshal(other, &added); err != nil {
		return fmt.Errorf("publish the key: %w", err)
	}
	s.keys = append(s.keys, added.Keys...)
	s.members["keys"], err = json.Marshal(s.keys)
	return err
}

// write replaces the file as a whole, so that it is never served half written.
func (s *keySet) write(file string) error {
	data, err := json.MarshalIndent(s.members, "", "  ")
	if err != nil {
		return fmt.Errorf("write key set %s: %w", file, err)
	}
	return term.ReplaceFile(file, 0o644, func(w io.Writer) error {
		_, err := w.Write(append(data, '\n'))
		return err
	})
}
