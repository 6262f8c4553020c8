package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/http"
	"os"
	"time"

	"github.com/go-jose/go-jose/v4"

	"frontdesk/cmd/frontdesk/sandbox"
	"frontdesk/domain/application"
)

type tokenCmd struct {
	Keygen  keygenCmd  `cmd:"" help:"Make a private key, and put its public half into a key set (JWKS) to publish."`
	Publish publishCmd `cmd:"" help:"Serve a key set on this machine, for as long as it runs."`
	Mint    mintCmd    `cmd:"" help:"Mint a token, good for 60 seconds. Without flags, for the sandbox's application."`
	Explain explainCmd `cmd:"" help:"Say exactly why the service would refuse a token, without asking it."`
}

type mintCmd struct {
	Dir         string         `default:".frontdesk" help:"The sandbox whose application mints."`
	Key         string         `type:"existingfile" help:"Another application's private RSA key (PEM)."`
	KID         string         `name:"kid" help:"Its kid in the application's JWKS."`
	Application application.ID `placeholder:"UUID" help:"The application's identifier."`
	Sub         string         `placeholder:"USERNAME" help:"The member of staff on whose behalf; without it, the application acts for itself."`
	Curl        bool           `help:"Print a curl argument instead of the bare token."`
}

// Run prints a token.
func (c *mintCmd) Run(r *run) error {
	minter, err := c.minter()
	if err != nil {
		return err
	}
	token, err := minter.Mint(c.Sub, time.Now())
	if err != nil {
		return err
	}
	if c.Curl {
		token = "Authorization: Bearer " + token
	}
	fmt.Fprintln(r.Out, token)
	return nil
}

func (c *mintCmd) minter() (sandbox.Minter, error) {
	if c.Key != "" {
		return sandbox.NewMinter(c.Key, c.KID, c.Application)
	}
	info, err := sandbox.ReadInfo(c.Dir)
	if err != nil {
		return sandbox.Minter{}, err
	}
	return sandbox.NewMinter(info.Application.PrivateKeyFile, info.Application.KID, info.Application.ID)
}

type keygenCmd struct {
	Key  string `default:"application-key.pem" placeholder:"FILE" help:"Where the private key goes (PEM, RSA of 2048 bits). It never leaves your side."`
	JWKS string `name:"jwks" default:"jwks.json" placeholder:"FILE" help:"The key set that gains the public key; it is made if there is none. Publish it at your JWKS URL."`
	KID  string `name:"kid" help:"The key's kid; without it, the key's thumbprint (RFC 7638)."`
	JSON bool   `name:"json" help:"Print one JSON object."`
}

// Run makes the key. Older keys stay in the set, because rotation needs both.
func (c *keygenCmd) Run(r *run) error {
	set, err := readSet(c.JWKS)
	if err != nil {
		return err
	}
	if len(set.Key(c.KID)) > 0 {
		return fmt.Errorf("%s has a key with the kid %q: each has its own, so choose another", c.JWKS, c.KID)
	}
	err = sandbox.MakeKey(c.Key)
	if errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("%s exists and is not written over: choose another file with --key", c.Key)
	}
	if err != nil {
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
	if err != nil {
		return set, fmt.Errorf("read key set %s: %w", file, err)
	}
	if err := json.Unmarshal(data, &set); err != nil {
		return set, fmt.Errorf("read key set %s: %w", file, err)
	}
	return set, nil
}

// writeSet replaces the file as a whole, so that it is never served half
// written.
func writeSet(file string, set jose.JSONWebKeySet) error {
	data, err := json.MarshalIndent(set, "", "  ")
	if err != nil {
		return fmt.Errorf("write key set %s: %w", file, err)
	}
	if err := os.WriteFile(file+".new", append(data, '\n'), 0o644); err != nil {
		return fmt.Errorf("write key set %s: %w", file, err)
	}
	if err := os.Rename(file+".new", file); err != nil {
		return fmt.Errorf("write key set %s: %w", file, err)
	}
	return nil
}

type publishCmd struct {
	JWKS   string `name:"jwks" default:"jwks.json" type:"existingfile" placeholder:"FILE" help:"The key set."`
	Listen string `default:"127.0.0.1:8081" placeholder:"HOST:PORT" help:"Where to serve it; loopback only."`
}

// Run serves the key set until it is told to stop. The file is read anew for
// each call.
func (c *publishCmd) Run(r *run) error {
	if host, _, err := net.SplitHostPort(c.Listen); err != nil || !application.IsLoopback(host) {
		return errors.New("keys are published to this machine alone: give --listen as 127.0.0.1:PORT")
	}
	listener, err := new(net.ListenConfig).Listen(r.ctx, "tcp", c.Listen)
	if err != nil {
		return fmt.Errorf("listen on %s (is the port taken? choose another with --listen): %w", c.Listen, err)
	}
	server := &http.Server{Handler: c.handler(), ReadHeaderTimeout: 10 * time.Second}
	stop := context.AfterFunc(r.ctx, func() { _ = server.Close() })
	defer stop()
	fmt.Fprintf(r.Err, "The JWKS URL is http://%s/jwks.json . Ctrl-C stops it.\n", listener.Addr())
	if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
		return fmt.Errorf("publish keys: %w", err)
	}
	return nil
}

func (c *publishCmd) handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /jwks.json", func(w http.ResponseWriter, _ *http.Request) {
		set, err := os.ReadFile(c.JWKS)
		if err != nil {
			http.Error(w, "the key set cannot be read", http.StatusInternalServerError)
			return
		}
		w.Header().Set("Content-Type", "application/jwk-set+json")
		_, _ = w.Write(set) // an error means that the client has gone
	})
	return mux
}
