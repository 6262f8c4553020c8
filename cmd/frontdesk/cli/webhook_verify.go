package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strings"
)

type webhookVerifyCmd struct {
	keySetFlags `embed:""`
	Token       string `arg:"" name:"jwt" help:"The webhook's body; - for standard input."`
}

// maxToken bounds what is read of standard input, in bytes.
const maxToken = 64 << 10

// Run verifies the webhook and prints its claims.
func (c *webhookVerifyCmd) Run(r *run) error {
	if c.Token == "-" {
		text, err := io.ReadAll(io.LimitReader(r.In, maxToken))
		if err != nil {
			return fmt.Errorf("read the webhook: %w", err)
		}
		c.Token = string(text)
	}
	verifier, err := c.verifier()
	if err != nil {
		return err
	}
	webhook, err := verifier.Verify(r.ctx, strings.TrimSpace(c.Token))
	if err != nil {
		return fmt.Errorf("the webhook does not hold: %w", err)
	}
	var claims bytes.Buffer
	if err := json.Indent(&claims, webhook.Claims, "", "  "); err != nil {
		return fmt.Errorf("print claims: %w", err)
	}
	fmt.Fprintf(r.Err, "The webhook holds: signed with %s.\n", webhook.KID)
	_, err = fmt.Fprintln(r.Out, claims.String())
	return err
}
