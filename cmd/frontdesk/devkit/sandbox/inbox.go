package sandbox

import (
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"time"

	"frontdesk.example/client"
	"frontdesk/adapters/sealing"
	"frontdesk/adapters/webhooks/receiver"
)

const (
	inboxName     = "webhooks.jsonl"
	masterKeyName = "master.key"
)

// inbox is the sandbox application's webhook receiver. It verifies webhooks and
// keeps them in a file.
type inbox struct {
	now       func() time.Time
	authority *receiver.Authority
	log       *os.File
	server    *receiver.Server
	untrusted *receiver.Server // also receives, if its certificate is trusted
}

// WebhookReceiver is where the sandbox application receives webhooks.
type WebhookReceiver struct {
	URL    string            `json:"url"`
	Log    string            `json:"log"`    // verified webhooks, one JSON object a line
	CA     string            `json:"ca"`     // certificate of the authority that vouches for the URL
	Behave map[string]string `json:"behave"` // where it behaves otherwise, by how: slow, error, …
}

func openInbox(dir string, now func() time.Time) (*inbox, error) {
	authority, err := receiver.OpenAuthority(dir, now())
	if err != nil {
		return nil, err
	}
	log, err := os.OpenFile(filepath.Join(dir, inboxName), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, fmt.Errorf("open the log of webhooks: %w", err)
	}
	return &inbox{authority: authority, log: log, now: now}, nil
}

// receive begins to receive, once the URL of the service's key set is known.
func (i *inbox) receive(ctx context.Context, apiURL string, log *slog.Logger) (err error) {
	journal := &receiver.JSONLines{Out: i.log, Now: i.now}
	verifier, err := client.NewVerifier(client.VerifierOptions{JWKSURL: apiURL + "/transactional-api/jwks", Now: i.now})
	if err != nil {
		return err
	}
	handler := behaving(receiver.Handler{
		Verifier: verifier,
		Received: journal.Write,
		Refused: func(ctx context.Context, err error) {
			log.WarnContext(ctx, "the sandbox's receiver has refused a webhook", slog.Any("error", err))
		},
	})
	if i.server, err = receiver.Listen(ctx, "127.0.0.1:0", i.authority, handler, i.now()); err != nil {
		return err
	}
	i.untrusted, err = listenUntrusted(ctx, handler, i.now())
	return err
}

func (i *inbox) info() WebhookReceiver {
	return WebhookReceiver{URL: i.server.URL(), Log: i.log.Name(), CA: i.authority.File, Behave: i.places()}
}

// empty drops the webhooks that were received.
func (i *inbox) empty() error {
	if err := i.log.Truncate(0); err != nil {
		return fmt.Errorf("empty the log of webhooks: %w", err)
	}
	return nil
}

func (i *inbox) close() {
	for _, server := range []*receiver.Server{i.server, i.untrusted} {
		if server != nil {
			server.Close()
		}
	}
	_ = i.log.Close()
}

// trusted returns the roots for the sandbox's outbound calls: the system's certificates, its
// own authority's, and the one in a file, if a file is given.
func (i *inbox) trusted(file string) (*x509.CertPool, error) {
	pool, err := x509.SystemCertPool()
	if err != nil {
		return nil, fmt.Errorf("read the system's certificates: %w", err)
	}
	pool.AppendCertsFromPEM(i.authority.PEM())
	if file == "" {
		return pool, nil
	}
	given, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("read the certificate to trust: %w", err)
	}
	if !pool.AppendCertsFromPEM(given) {
		return nil, fmt.Errorf("%s holds no certificate (PEM)", file)
	}
	return pool, nil
}

// masterKeys reads the sandbox's master keys, or makes one.
func masterKeys(dir string) (*sealing.Ring, error) {
	file := filepath.Join(dir, masterKeyName)
	keys, err := sealing.ReadRing(file)
	if errors.Is(err, fs.ErrNotExist) {
		keys = []sealing.MasterKey{sealing.NewMasterKey()}
		err = sealing.WriteRing(file, keys)
	}
	if err != nil {
		return nil, err
	}
	return sealing.NewRing(keys...), nil
}
