package integrate

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"frontdesk.example/client"
	"frontdesk/adapters/webhooks/receiver"
	"frontdesk/cmd/frontdesk/cli/term"
	"frontdesk/cmd/frontdesk/devkit/sandbox"
)

// keySetFlags give the place of the service's public keys.
type keySetFlags struct {
	Dir     string `default:".frontdesk" type:"folder" placeholder:"DIR" help:"The sandbox whose webhooks these are."`
	JWKSURL string `name:"jwks-url" elsewhere:"" placeholder:"URL" help:"Another service's public keys: {base_url}/transactional-api/jwks."`
}

func (f keySetFlags) verifier(r *term.Run) (*client.Verifier, error) {
	url := f.JWKSURL
	if url == "" {
		info, err := sandbox.ReadInfo(f.Dir)
		if err != nil {
			return nil, err
		}
		url = info.APIURL + "/transactional-api/jwks"
	}
	return client.NewVerifier(client.VerifierOptions{JWKSURL: url, Now: r.Now})
}

type webhookListenCmd struct {
	keySetFlags `embed:""`
	Listen      string `default:"127.0.0.1:8443" placeholder:"HOST:PORT" help:"Where to receive, on loopback."`
	JSON        bool   `name:"json" xor:"form" help:"Print one JSON object a line."`
	Raw         bool   `xor:"form" help:"Print each webhook as it came, a JWT a line, to verify it by other means."`
}

// Run receives until it is stopped.
func (c *webhookListenCmd) Run(r *term.Run) error {
	verifier, err := c.verifier(r)
	if err != nil {
		return err
	}
	dir, err := filepath.Abs(c.Dir)
	if err != nil {
		return fmt.Errorf("find the directory: %w", err)
	}
	authority, err := receiver.OpenAuthority(dir, r.Now())
	if err != nil {
		return err
	}
	handler := receiver.Handler{Verifier: verifier, Received: c.printer(r.Out, r.Now), Refused: func(_ context.Context, err error) {
		fmt.Fprintf(r.Err, "frontdesk: %s\n", term.OneLine(err))
	}}
	server, err := receiver.Listen(r.Context, c.Listen, authority, handler, r.Now())
	if err != nil {
		return err
	}
	defer server.Close()
	c.explain(r.Err, server.URL(), authority.File)
	<-r.Context.Done()
	return nil
}

// explain prints how to have webhooks sent here. It writes to standard error, so
// that standard output holds webhooks alone.
func (c *webhookListenCmd) explain(w io.Writer, url, ca string) {
	fmt.Fprintf(w, "Receiving on %s . To receive an event there:\n\n"+
		"  frontdesk webhook set --database-url … --application … --event record.opened --url %s --allow-network 127.0.0.0/8\n\n"+
		"The sandbox in %s trusts this receiver; another one does with --trust-ca %s\nCtrl-C stops it.\n\n", url, url, c.Dir, ca)
}

// printer returns the function that prints webhooks, one at a time, in the form that the
// flags choose.
func (c *webhookListenCmd) printer(w io.Writer, now func() time.Time) func(context.Context, receiver.Webhook) error {
	if c.JSON {
		return (&receiver.JSONLines{Out: w, Now: now}).Write
	}
	var mu sync.Mutex
	return func(_ context.Context, webhook receiver.Webhook) error {
		mu.Lock()
		defer mu.Unlock()
		if c.Raw {
			_, err := fmt.Fprintln(w, webhook.Token)
			return err
		}
		_, err := fmt.Fprintf(w, "%s  %s  tenant %s  jti %s\n  %s\n",
			now().UTC().Format(time.RFC3339), webhook.Event.Kind(), webhook.TenantID, webhook.JTI, webhook.Data)
		return err
	}
}

type webhookVerifyCmd struct {
	keySetFlags `embed:""`
	Token       string `arg:"" name:"jwt" help:"The webhook's body; - for standard input."`
}

// maxToken is how many bytes are read of standard input.
const maxToken = 64 << 10

// Run verifies the webhook and prints its claims.
func (c *webhookVerifyCmd) Run(r *term.Run) error {
	if c.Token == "-" {
		text, err := io.ReadAll(io.LimitReader(r.In, maxToken))
		if err != nil {
			return fmt.Errorf("read the webhook: %w", err)
		}
		c.Token = string(text)
	}
	verifier, err := c.verifier(r)
	if err != nil {
		return err
	}
	webhook, err := verifier.Verify(r.Context, strings.TrimSpace(c.Token))
	if err != nil {
		return fmt.Errorf("the webhook is not valid: %w", err)
	}
	var claims bytes.Buffer
	if err := json.Indent(&claims, webhook.Claims, "", "  "); err != nil {
		return fmt.Errorf("print claims: %w", err)
	}
	fmt.Fprintf(r.Err, "The webhook is valid: signed with %s.\n", webhook.KID)
	_, err = fmt.Fprintln(r.Out, claims.String())
	return err
}
