package cli

import (
	"fmt"
	"time"

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
