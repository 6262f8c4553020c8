package integrate

import (
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"time"

	"frontdesk/adapters/background"
	"frontdesk/cmd/frontdesk/cli/term"
	"frontdesk/domain/application"
)

// TokenCmd makes keys and tokens, and explains tokens.
type TokenCmd struct {
	Keygen  keygenCmd  `cmd:"" help:"Make a private key and its key set." detail:"The public half goes into a key set (JWKS) to publish."`
	Publish publishCmd `cmd:"" help:"Serve a key set on this machine." detail:"For as long as it runs."`
	Mint    mintCmd    `cmd:"" help:"Mint a token for 60 seconds." detail:"For the application of this code base or, without one, the sandbox's."`
	Explain explainCmd `cmd:"" help:"Explain why a token would be refused." detail:"It does not ask the service."`
}

type mintCmd struct {
	keyDirFlag  `embed:""`
	Dir         string         `default:".frontdesk" type:"folder" help:"The sandbox whose application mints."`
	Key         string         `type:"existingfile" elsewhere:"" help:"Another application's private RSA key (PEM)."`
	KID         string         `name:"kid" help:"Its kid in the application's JWKS."`
	Application application.ID `placeholder:"UUID" help:"The application's identifier."`
	Sub         string         `placeholder:"USERNAME" help:"The member of staff to act for. Without it, the application acts for itself."`
	Curl        bool           `help:"Print a curl argument instead of the bare token."`
}

// Run prints a token.
func (c *mintCmd) Run(r *term.Run) error {
	app, err := c.callerOf(r)
	if err != nil {
		return err
	}
	token, err := app.signer.Token(app.application.String(), c.Sub, r.Now())
	if err != nil {
		return err
	}
	if c.Curl {
		token = "Authorization: Bearer " + token
	}
	fmt.Fprintln(r.Out, token)
	return nil
}

// callerOf finds the application that the flags name by its key, or that of the code base, or the
// sandbox's.
func (c *mintCmd) callerOf(r *term.Run) (caller, error) {
	if (c.Key == "") != (c.Application == application.ID{}) {
		return caller{}, errHalfNamed
	}
	if c.Key != "" {
		return newCaller("", c.Application, c.KID, c.Key)
	}
	return c.caller(r, c.Dir)
}

var errHalfNamed = errors.New("give --key and --application together: a token is of the application whose key signs it; " +
	"also give --kid, unless the key set has the key under its thumbprint, as token keygen writes it")

type publishCmd struct {
	JWKS   string `name:"jwks" default:"jwks.json" type:"existingfile" placeholder:"FILE" help:"The key set."`
	Listen string `default:"127.0.0.1:8081" placeholder:"HOST:PORT" help:"Where to serve it; loopback only."`
}

// Run serves the key set until it is stopped. The file is read again for each call.
func (c *publishCmd) Run(r *term.Run) error {
	if err := onLoopback(c.Listen); err != nil {
		return err
	}
	listener, err := new(net.ListenConfig).Listen(r.Context, "tcp", c.Listen)
	if err != nil {
		return fmt.Errorf("listen on %s (is the port taken? choose another with --listen): %w", c.Listen, err)
	}
	server := background.Serve(listener, &http.Server{Handler: c.handler(), ReadHeaderTimeout: 10 * time.Second})
	fmt.Fprintf(r.Err, "The JWKS URL is http://%s/jwks.json . Ctrl-C stops it.\n", server.Address())
	if err := server.Wait(r.Context); err != nil {
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
