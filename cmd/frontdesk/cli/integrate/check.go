package integrate

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"frontdesk/adapters/bearer"
	"frontdesk/cmd/frontdesk/cli/term"
	"frontdesk/cmd/frontdesk/devkit/conformance"
	"frontdesk/domain/application"
)

// CheckCommands test receivers and clients of integrators.
type CheckCommands struct {
	CheckReceiver checkReceiverCmd `cmd:"" help:"Test a webhook receiver." detail:"It sends valid, forged, expired and replayed webhooks to a receiver on this machine."`
	CheckClient   checkClientCmd   `cmd:"" help:"Test a client of the API." detail:"It tests how the client signs, retries and rotates its key, against an imitation of the API."`
}

type checkReceiverCmd struct {
	URL       string        `arg:"" help:"Your receiver. It must take the service's keys from the address of --listen, and serve the practice sandbox."`
	Listen    string        `default:"127.0.0.1:8082" placeholder:"HOST:PORT" help:"Where the keys are published for it, below /transactional-api/jwks; loopback only."`
	Processed string        `placeholder:"URL" help:"Where the receiver answers how many webhooks it has processed, as a number. Without it, only its answers are judged."`
	TrustCA   string        `name:"trust-ca" type:"existingfile" placeholder:"FILE" help:"Certificate (PEM) that is trusted for the receiver, in addition to the system's and that of the sandbox in --dir."`
	Dir       string        `default:".frontdesk" type:"folder" placeholder:"DIR" help:"The sandbox whose certificates are trusted."`
	Limit     time.Duration `default:"10s" help:"How long an answer may take. The service waits for 10 s."`
	JSON      bool          `name:"json" help:"Print one JSON object a line."`
}

// Run makes the checks. Each is a line; the exit status is 1 if one was not passed.
func (c *checkReceiverCmd) Run(r *term.Run) error {
	if address, err := url.Parse(c.URL); err != nil || address.Host == "" || address.Scheme != "https" && address.Scheme != "http" {
		return fmt.Errorf("%q is no address of a receiver: give one like https://127.0.0.1:8443/webhooks", c.URL)
	}
	client, err := c.client()
	if err != nil {
		return err
	}
	if err := onLoopback(c.Listen); err != nil {
		return err
	}
	service, err := conformance.NewService(r.Context, c.Listen)
	if err != nil {
		return err
	}
	defer service.Close()
	fmt.Fprintf(r.Err, "The receiver must take its keys from %s , and serve the practice %s. Checking it …\n", service.KeySetURL(), conformance.Tenant)
	if strings.HasPrefix(c.URL, "http://") {
		fmt.Fprintln(r.Err, "Webhooks are only sent by https: put a certificate in front of it before you register it.")
	}
	tried := conformance.Receiver{URL: c.URL, Processed: c.Processed, Service: service, Client: client, Limit: c.Limit, Now: r.Now}
	failed, err := tried.Run(r.Context, results(r.Out, c.JSON))
	return checked(failed, err, "receiver")
}

// client trusts the receiver's certificate, and follows no redirect, as the service does.
func (c *checkReceiverCmd) client() (*http.Client, error) {
	roots, err := x509.SystemCertPool()
	if err != nil {
		roots = x509.NewCertPool()
	}
	if own, err := os.ReadFile(filepath.Join(c.Dir, "webhook-ca.pem")); err == nil {
		roots.AppendCertsFromPEM(own)
	}
	if c.TrustCA != "" {
		more, err := os.ReadFile(c.TrustCA)
		if err != nil {
			return nil, fmt.Errorf("read %s: %w", c.TrustCA, term.Cause(err))
		}
		if !roots.AppendCertsFromPEM(more) {
			return nil, fmt.Errorf("%s holds no certificate (PEM)", c.TrustCA)
		}
	}
	return &http.Client{
		Transport:     &http.Transport{TLSClientConfig: &tls.Config{RootCAs: roots, MinVersion: tls.VersionTLS12}},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}, nil
}

type checkClientCmd struct {
	term.NetworkFlag `embed:""`
	JWKS             string        `name:"jwks" required:"" placeholder:"FILE|URL" help:"The key set that your client publishes."`
	Listen           string        `default:"127.0.0.1:8083" placeholder:"HOST:PORT" help:"Where the API is imitated; loopback only."`
	Rotate           string        `placeholder:"COMMAND" help:"Shell command that makes the client sign with another key, and publish both."`
	Limit            time.Duration `default:"1m" help:"How long one run of the client may take."`
	JSON             bool          `name:"json" help:"Print one JSON object a line."`
	Command          []string      `arg:"" passthrough:"" help:"-- and the command that submits one patient request. It gets BASE_URL and PATIENT_ID in its environment, and ends with status 0 if the request was submitted."`
}

// Run runs the client once for each check. The client's output goes to standard error.
func (c *checkClientCmd) Run(r *term.Run) error {
	if err := onLoopback(c.Listen); err != nil {
		return err
	}
	command := c.Command
	if command[0] == "--" {
		command = command[1:]
	}
	if len(command) == 0 {
		return errors.New("give the command that submits one patient request, after --")
	}
	tried := conformance.Client{Command: command, Address: c.Listen, Keys: func(ctx context.Context) (bearer.KeySet, error) { return c.keys(ctx, r) }, Limit: c.Limit, Output: r.Err, Now: r.Now}
	if c.Rotate != "" {
		tried.Rotate = []string{"sh", "-c", c.Rotate}
	}
	failed, err := tried.Run(r.Context, results(r.Out, c.JSON))
	return checked(failed, err, "client")
}

// keys reads the client's key set again for each call, because it may rotate.
func (c *checkClientCmd) keys(ctx context.Context, r *term.Run) (bearer.KeySet, error) {
	if strings.Contains(c.JWKS, "://") {
		return fetchKeys(ctx, c.JWKS, append(loopback(), c.AllowNetwork...), r.Now)
	}
	return readKeys(c.JWKS)
}

// onLoopback refuses to show keys or an imitation of the API to other machines.
func onLoopback(address string) error {
	host, _, err := net.SplitHostPort(address)
	if err != nil || !application.IsLoopback(host) {
		return errors.New("this is for this machine alone: give --listen as 127.0.0.1:PORT")
	}
	return nil
}

// results prints each result as it comes.
func results(w io.Writer, asJSON bool) func(conformance.Result) {
	return func(result conformance.Result) {
		if asJSON {
			_ = json.NewEncoder(w).Encode(result) // the last write's error is kept by the stream
			return
		}
		verdict, why := "pass", ""
		if !result.Passed {
			verdict, why = "FAIL", ": "+result.Why
		}
		fmt.Fprintf(w, "%s  %-12s %-5s %s%s\n", verdict, result.Name, result.Clause, result.Wants, why)
	}
}

func checked(failed int, err error, what string) error {
	switch {
	case err != nil:
		return err
	case failed == 1:
		return fmt.Errorf("the %s did not pass 1 check", what)
	case failed > 1:
		return fmt.Errorf("the %s did not pass %d checks", what, failed)
	}
	return nil
}
