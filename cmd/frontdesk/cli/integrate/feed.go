package integrate

import (
	"cmp"
	"crypto/rand"
	"errors"
	"fmt"

	"golang.org/x/crypto/bcrypt"

	"frontdesk/adapters/broker"
	"frontdesk/cmd/frontdesk/cli/term"
)

// FeedCmd holds the commands about the log outside of the database.
type FeedCmd struct {
	Follow feedFollowCmd `cmd:"" help:"Print the log's events from NATS." detail:"One JSON object a line. It prints new events as they come."`
	Grant  feedGrantCmd  `cmd:"" help:"Let a follower read the log from NATS." detail:"The whole log, or one practice's part of it."`
}

type feedGrantCmd struct {
	term.BrokerFlags `embed:""`
	Tenant           string `placeholder:"TENANT" help:"The practice to follow; without it, the whole log."`
	Name             string `placeholder:"NAME" help:"Name of the follower: of account, user and consumers. The practice's if it is not given."`
	Out              string `placeholder:"FILE" help:"Where the follower's new password goes. Without it, only consumers are created, and no account is printed."`
}

// Help returns the details, which a help text has no room for.
func (c *feedGrantCmd) Help() string {
	return `Lets a follower read the log from NATS. It creates the follower's consumers, with the credentials of the relay, and prints their account: put it into
nats-followers.conf on each server, and run "nats-server --signal reload" twice. Run it again without --out after the broker has lost
everything. To revoke it, remove the account from that file, and reload.`
}

// Run makes consumers, and an account.
func (c *feedGrantCmd) Run(r *term.Run) error {
	f := broker.Follower{Name: cmp.Or(c.Name, c.Tenant), Tenant: c.Tenant}
	if f.Name == "" {
		return errors.New("name the follower: give --tenant for one practice, or --name for a follower of the whole log")
	}
	if err := errors.Join(f.Check(), c.Server().Check()); err != nil {
		return err
	}
	epochs, err := c.Server().Grant(r.Context, f)
	if err != nil {
		return err
	}
	if c.Out != "" {
		if err := c.print(r, f); err != nil {
			return err
		}
	}
	fmt.Fprintf(r.Err, "The follower %s has consumers; number of epochs: %d\n", f.Name, epochs)
	return nil
}

// print writes a new password to a file, and prints the account that it belongs to.
func (c *feedGrantCmd) print(r *term.Run, f broker.Follower) error {
	password := rand.Text()
	hash, err := bcrypt.GenerateFromPassword([]byte(password), bcrypt.DefaultCost)
	if err != nil {
		return fmt.Errorf("hash the password: %w", err)
	}
	account, err := f.Account(`"` + string(hash) + `"`)
	if err != nil {
		return err
	}
	if err := term.WriteKey(c.Out, password); err != nil {
		return err
	}
	_, err = fmt.Fprint(r.Out, account)
	return err
}
