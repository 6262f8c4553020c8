package conformance

import (
	"context"
	"encoding/base64"
	"errors"
	"io"
	"os"
	"os/exec"
	"time"

	"frontdesk/adapters/bearer"
	"frontdesk/domain/event"
)

// Client is a client that is tried out. Command makes it submit one patient request and
// ends with status 0 if it was submitted, and with another if it was not. It is run once
// for each check, with BASE_URL (where the API is imitated) and PATIENT_ID in its
// environment.
type Client struct {
	Command []string
	Rotate  []string // begins to sign with another key; nil leaves that check out
	Address string   // where the API is imitated, on loopback
	Keys    func(context.Context) (bearer.KeySet, error)
	Limit   time.Duration // for one run of the client; 0 means a minute
	Output  io.Writer     // of the client
	Now     func() time.Time

	api  *imitation
	keys map[string]string // the check in which each Idempotency-Key was met first
	last arrival           // the latest call that was right
}

const runLimit = time.Minute

// Run makes all checks, reports each, and returns how many were not passed.
func (c *Client) Run(ctx context.Context, report func(Result)) (failed int, err error) {
	if c.Limit == 0 {
		c.Limit = runLimit
	}
	c.keys = map[string]string{}
	if c.api, err = newImitation(ctx, c.Address, c.Keys, c.Now); err != nil {
		return 0, err
	}
	defer c.api.close()
	checks := clientChecks()
	if c.Rotate != nil {
		checks = append(checks, rotationCheck())
	}
	return each(ctx, c, checks, report)
}

// ran is how a run of the client went.
type ran struct {
	arrivals []arrival
	made     int // requests
	ok       bool
	late     bool   // it was stopped by the limit
	failure  string // why it could not be run at all
}

// run runs the client once while the API treats its calls in one way.
func (c *Client) run(ctx context.Context, does func(int) treatment) ran {
	c.api.begin(does)
	result := c.start(ctx, c.Command)
	result.arrivals, result.made = c.api.seen()
	for _, a := range result.arrivals {
		if a.problem == "" {
			c.last = a
		}
	}
	return result
}

// killedAfter is how long a client has that was asked to end.
const killedAfter = 2 * time.Second

func (c *Client) start(ctx context.Context, command []string) (r ran) {
	limited, cancel := context.WithTimeout(ctx, c.Limit)
	defer cancel()
	run := exec.CommandContext(limited, command[0], command[1:]...)
	run.Env = append(os.Environ(), "BASE_URL="+c.api.url(), "PATIENT_ID="+event.NewID().String())
	run.Stdout, run.Stderr = c.Output, c.Output
	run.Cancel = func() error { return run.Process.Signal(os.Interrupt) }
	run.WaitDelay = killedAfter
	err := run.Run()
	ended, isExit := errors.AsType[*exec.ExitError](err)
	r.late = limited.Err() != nil && ctx.Err() == nil
	switch {
	case err == nil:
		r.ok = true
	case !isExit && !r.late:
		r.failure = "it cannot be run: " + err.Error()
	case isExit && !r.late && !ended.Exited():
		r.failure = "it was killed: " + ended.String()
	}
	return r
}

// decoded is the decoded base64url, as far as it can be read.
func decoded(text string) []byte {
	found, _ := base64.RawURLEncoding.DecodeString(text) // the rest cannot be read
	return found
}
