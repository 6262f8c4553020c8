package dev

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"time"

	"frontdesk.example/client"
	"frontdesk/adapters/clock"
	"frontdesk/adapters/webhooks/receiver"
	"frontdesk/cmd/frontdesk/devkit/sandbox"
)

// registration is the application in a sandbox that sends it webhooks.
type registration struct {
	info     sandbox.Info
	client   *client.Client
	receiver *receiver.Server
	vouches  []byte // the certificate of the authority that vouches for the receiver
}

const (
	askLimit  = 5 * time.Second  // for one answer of the service
	joinLimit = time.Minute      // for registering
	quitLimit = 10 * time.Second // for unregistering
)

// join registers the application in the sandbox, if it is not registered. It reports whether
// the sandbox did not know it.
func (d *dev) join(ctx context.Context, info sandbox.Info) (unknown bool, err error) {
	ctx, cancel := context.WithTimeout(ctx, joinLimit)
	defer cancel()
	d.joined = clock.Start()
	m := &registration{info: info}
	if m.client, err = d.client(info); err != nil {
		return false, err
	}
	if err := d.receive(ctx, m); err != nil {
		return false, err
	}
	if unknown, err = d.register(ctx, m); err != nil {
		return false, fmt.Errorf("register the application in the sandbox: %w", err)
	}
	if unknown || d.member == nil {
		if err := d.authorise(ctx, m); err != nil {
			return unknown, fmt.Errorf("let the application act for %s: %w", m.info.Staff.Username, err)
		}
	}
	d.member = m
	d.mu.Lock()
	d.snapshot.Info, d.snapshot.Receives = &m.info, m.receiver.URL()
	d.mu.Unlock()
	return unknown, d.announce()
}

// client asks once: the page shows each error, and the next poll retries.
func (d *dev) client(info sandbox.Info) (*client.Client, error) {
	return client.New(client.Options{
		BaseURL: info.APIURL, Application: d.identity.Application.String(), Signer: d.keys.Signer, Attempts: 1, Timeout: askLimit, Now: d.config.Now,
	})
}

// receive listens for the webhooks of a registration. The previous receiver is kept if
// the same authority still vouches for it.
func (d *dev) receive(ctx context.Context, m *registration) error {
	authority, err := receiver.OpenAuthority(d.config.SandboxDir, d.config.Now())
	if err != nil {
		return err
	}
	m.vouches = authority.PEM()
	address := cmp.Or(d.config.ListenWebhooks, "127.0.0.1:0")
	if before := d.member; before != nil && before.receiver != nil {
		if bytes.Equal(before.vouches, m.vouches) {
			m.receiver = before.receiver
		} else {
			address = before.receiver.Address()
			before.receiver.Close()
			before.receiver = nil
		}
	}
	if m.receiver == nil {
		if m.receiver, err = receiver.Listen(ctx, address, authority, d.inbox, d.config.Now()); err != nil {
			return err
		}
	}
	verifier, err := client.NewVerifier(client.VerifierOptions{JWKSURL: keysURL(m.info), Now: d.config.Now})
	if err != nil {
		return err
	}
	d.inbox.Believe(verifier)
	return nil
}

// keysURL is where the service publishes the keys that it signs webhooks with.
func keysURL(info sandbox.Info) string { return info.APIURL + "/transactional-api/jwks" }

// announce writes the file that the application's code and other commands read.
func (d *dev) announce() error {
	content, err := json.MarshalIndent(d.running(), "", "  ")
	if err != nil {
		return fmt.Errorf("write %s: %w", runningName, err)
	}
	return d.dir.write(runningName, append(content, '\n'))
}

func (d *dev) running() Running {
	signing, _ := d.keys.kids()
	m := d.member
	return Running{
		PageURL: d.site.URL(), APIURL: m.info.APIURL, AuthURL: m.info.AuthURL, TenantID: m.info.TenantID,
		Application: Application{
			ID: d.identity.Application, Name: d.config.Name, KID: signing, PrivateKeyFile: d.dir.file(keyName), JWKSURL: d.jwksURL,
			Callbacks: append([]string{}, d.config.Callbacks...), Username: m.info.Staff.Username,
		},
		Webhooks:   Webhooks{URL: m.receiver.URL(), ForwardTo: d.config.ForwardTo, JWKSURL: keysURL(m.info)},
		SandboxDir: d.config.SandboxDir, Process: os.Getpid(),
	}
}

// quit undoes [dev.join]. A sandbox that keeps running must not send webhooks to an address
// without a receiver.
func (d *dev) quit() {
	d.turn.Lock()
	defer d.turn.Unlock()
	if m := d.member; m != nil && m.receiver != nil {
		if !d.proc.own {
			d.unsubscribe(m)
		}
		m.receiver.Close()
	}
	d.inbox.Close()
}

var errNotJoined = errors.New("the sandbox is not running: wait until it is back")
