// Command driver runs the package for a test: it reads a line of JSON for each call, and writes a
// line for its result. The drivers of the other languages read the same lines.
//
//	driver call   < lines
//	driver listen < lines
//
// `listen` prints the address at which it receives webhooks, then a line for each of them, until
// its input ends.
package main

import (
	"bufio"
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
	"time"

	"frontdesk.example/client"
)

func main() {
	work := map[string]func() error{"call": call, "listen": listen}[os.Args[1]]
	if err := work(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// settings are the environment.
func dial() (*client.Client, *client.Signer, error) {
	key, err := client.ReadKey(os.Getenv("FRONTDESK_KID"), os.Getenv("FRONTDESK_KEY"))
	if err != nil {
		return nil, nil, err
	}
	signer, err := client.NewSigner(key)
	if err != nil {
		return nil, nil, err
	}
	transport, err := transportOf(os.Getenv("FRONTDESK_CA"), os.Getenv("FRONTDESK_PROXY"))
	if err != nil {
		return nil, nil, err
	}
	c, err := client.New(client.Options{
		BaseURL: os.Getenv("FRONTDESK_API"), Application: os.Getenv("FRONTDESK_APPLICATION"), Signer: signer, Transport: transport,
	})
	return c, signer, err
}

// transportOf trusts the certificates of a file, and connects through a proxy, if they are given.
func transportOf(ca, proxy string) (*http.Transport, error) {
	transport := client.DefaultTransport()
	if ca != "" {
		certificates, err := os.ReadFile(ca)
		if err != nil {
			return nil, err
		}
		trusted := x509.NewCertPool()
		trusted.AppendCertsFromPEM(certificates)
		transport.TLSClientConfig = &tls.Config{RootCAs: trusted}
	}
	if proxy != "" {
		address, err := url.Parse(proxy)
		if err != nil {
			return nil, err
		}
		transport.Proxy = http.ProxyURL(address)
	}
	return transport, nil
}

// order is a line of the input.
type order struct {
	Do    string          `json:"do"`
	As    string          `json:"as"`
	Act   *client.Act     `json:"act"`
	Files []string        `json:"files"`
	Key   string          `json:"key"` // Idempotency-Key
	Input json.RawMessage `json:"input"`
}

// result is a line of the output.
type result struct {
	Ok    any      `json:"ok,omitempty"`
	Error *fault   `json:"error,omitempty"`
	Tries int      `json:"tries"`
	Again bool     `json:"replayed"`
	Odd   []string `json:"unknownFields,omitempty"`
}

type fault struct {
	Code       client.Code `json:"code,omitempty"`
	Status     int         `json:"status,omitempty"`
	RequestID  string      `json:"requestId,omitempty"`
	RetryAfter float64     `json:"retryAfter"`
	Message    string      `json:"message"`
}

func call() error {
	c, signer, err := dial()
	if err != nil {
		return err
	}
	out := json.NewEncoder(os.Stdout)
	lines := json.NewDecoder(os.Stdin)
	for {
		var o order
		if err := lines.Decode(&o); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
		var last client.Answer
		ok, err := o.do(c, signer, client.OnAnswer(func(a client.Answer) { last = a }))
		if err := out.Encode(resultOf(ok, err, last)); err != nil {
			return err
		}
	}
}

func resultOf(ok any, err error, last client.Answer) result {
	r := result{Tries: last.Attempt, Again: last.Replayed, Odd: last.UnknownFields}
	if err == nil {
		r.Ok = ok
		return r
	}
	r.Error = &fault{Message: err.Error()}
	var refusal *client.ServiceError
	if errors.As(err, &refusal) {
		*r.Error = fault{refusal.Code(), refusal.Status, refusal.RequestID, refusal.RetryAfter.Seconds(), err.Error()}
	}
	return r
}

func (o order) do(c *client.Client, signer *client.Signer, options ...client.CallOption) (any, error) {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	defer cancel()
	if o.As != "" {
		c = c.AsUser(o.As)
	}
	if o.Act != nil {
		c = c.WithAct(*o.Act)
	}
	if o.Key != "" {
		options = append(options, client.IdempotencyKey(o.Key))
	}
	if o.Do == "rotate" {
		return o.rotate(signer)
	}
	work, known := endpoints[o.Do]
	if !known {
		return nil, fmt.Errorf("there is no endpoint %q", o.Do)
	}
	return work(ctx, c, o, options...)
}

// rotate adds the key of a file, or uses or removes one.
func (o order) rotate(signer *client.Signer) (any, error) {
	input, err := read[struct{ Add, File, Use, Remove string }](o)
	if err == nil && input.Add != "" {
		var key client.Key
		if key, err = client.ReadKey(input.Add, input.File); err == nil {
			err = signer.Add(key)
		}
	}
	if err == nil && input.Use != "" {
		err = signer.Use(input.Use)
	}
	if err == nil && input.Remove != "" {
		err = signer.Remove(input.Remove)
	}
	return json.RawMessage(signer.KeySet()), err
}

func read[T any](o order) (input T, err error) {
	if len(o.Input) == 0 {
		return input, nil
	}
	err = json.Unmarshal(o.Input, &input)
	return input, err
}

func listen() error {
	receiver, err := client.NewReceiver(client.ReceiverOptions{
		JWKSURL: os.Getenv("FRONTDESK_JWKS"), Tenant: client.Tenants(os.Getenv("FRONTDESK_TENANT")),
	})
	if err != nil {
		return err
	}
	listener, err := new(net.ListenConfig).Listen(context.Background(), "tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	out := json.NewEncoder(os.Stdout)
	if err := out.Encode(map[string]string{"url": "http://" + listener.Addr().String() + "/"}); err != nil {
		return err
	}
	handler := receiver.Handler(func(_ context.Context, w client.Webhook) error {
		return out.Encode(map[string]any{"jti": w.JTI, "tenantId": w.TenantID, "event": w.Event.Kind(), "data": w.Event})
	})
	server := &http.Server{Handler: handler, ReadHeaderTimeout: 10 * time.Second}
	go func() {
		_, _ = io.Copy(io.Discard, bufio.NewReader(os.Stdin)) // until the test ends
		_ = server.Close()
	}()
	if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}
