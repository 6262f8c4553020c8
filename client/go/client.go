package client

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// Options define the service that a [Client] calls, the caller, and the limits. The first three are
// required.
type Options struct {
	BaseURL     string  // the practice's {base_url}, such as https://elm-street.api.example
	Application string  // the application's identifier, a UUID
	Signer      *Signer // holds the application's keys

	// Token returns a token that was signed elsewhere, in place of Application and Signer. The
	// token defines the caller, so [Client.AsUser] and [Client.WithAct] are refused.
	Token func(context.Context) (string, error)
	// Attempts limits the attempts at a call: 5 by default.
	Attempts int
	// Timeout limits a call with all its attempts. By default, a call whose context has no deadline
	// gets 2 minutes, or 15 with attachments.
	Timeout time.Duration
	// LongestWait is the longest Retry-After that a call waits for: 20 seconds by default. A longer
	// one is returned in [ServiceError.RetryAfter].
	LongestWait time.Duration
	// OnAnswer is called after each attempt, on the caller's goroutine. By default, names that the
	// service does not know are logged with log/slog.
	OnAnswer func(Answer)
	// Transport carries the calls: a [DefaultTransport] by default. Several clients may share one.
	Transport http.RoundTripper
	// Now returns the time: time.Now by default.
	Now func() time.Time
}

// A Client calls the Transactional API of one practice: for the application itself, or for the
// caller of [Client.AsUser] and [Client.WithAct]. It is safe for concurrent use.
type Client struct {
	options  Options
	endpoint string // the base URL of the endpoints
	http     *http.Client
	tokens   *tokens
	caller   caller
}

// New makes a client that calls for the application itself.
func New(o Options) (*Client, error) {
	base, err := url.Parse(o.BaseURL)
	if err != nil || base.Host == "" {
		return nil, fmt.Errorf("BaseURL %q must be an address such as https://elm-street.api.example", o.BaseURL)
	}
	if !isGuarded(base) {
		return nil, ErrInClear
	}
	if o.Token == nil && (o.Application == "" || o.Signer == nil) {
		return nil, errors.New("options must name the Application and its Signer")
	}
	o = o.withDefaults()
	return &Client{
		options:  o,
		endpoint: strings.TrimSuffix(o.BaseURL, "/") + "/transactional-api/",
		http:     &http.Client{Transport: o.Transport, CheckRedirect: unfollowed},
		tokens:   &tokens{application: o.Application, signer: o.Signer, elsewhere: o.Token, now: o.Now},
	}, nil
}

func (o Options) withDefaults() Options {
	if o.Attempts <= 0 {
		o.Attempts = 5
	}
	if o.LongestWait <= 0 {
		o.LongestWait = 20 * time.Second
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.OnAnswer == nil {
		o.OnAnswer = warnOfUnknownFields
	}
	if o.Transport == nil {
		o.Transport = DefaultTransport()
	}
	return o
}

// DefaultTransport makes a transport that waits 30 seconds for an answer, and takes the proxy for other
// machines from the environment (HTTPS_PROXY, NO_PROXY). Set its Proxy or its TLSClientConfig for others.
func DefaultTransport() *http.Transport {
	return &http.Transport{
		Proxy: proxy, DialContext: dial, ForceAttemptHTTP2: true, MaxIdleConnsPerHost: 100,
		TLSHandshakeTimeout: 10 * time.Second, ResponseHeaderTimeout: 30 * time.Second, IdleConnTimeout: 90 * time.Second,
	}
}

// ErrInClear refuses a BaseURL to which tokens would travel unencrypted: http is only allowed for
// loopback addresses and names (localhost, and all below it).
var ErrInClear = errors.New("the address must begin with https://, because anyone who reads a token can use it; http:// is allowed only on this machine")

// unfollowed keeps tokens and bodies from the target of a redirect.
func unfollowed(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }

// proxy keeps local calls on this machine: net/http would send calls to names below localhost to a
// proxy, in clear.
func proxy(request *http.Request) (*url.URL, error) {
	if isLoopback(request.URL.Hostname()) {
		return nil, nil //nolint:nilnil // no proxy is no error
	}
	return http.ProxyFromEnvironment(request)
}

// dial resolves all names below localhost to this machine (RFC 6761, 6.3), so that no resolver
// sends a token elsewhere.
func dial(ctx context.Context, network, address string) (net.Conn, error) {
	host, port, err := net.SplitHostPort(address)
	if err == nil && strings.HasSuffix(host, ".localhost") {
		address = net.JoinHostPort("localhost", port)
	}
	return (&net.Dialer{Timeout: 30 * time.Second}).DialContext(ctx, network, address)
}

// isGuarded reports whether the connection to an address is encrypted, or local.
func isGuarded(address *url.URL) bool {
	return address.Scheme == "https" || address.Scheme == "http" && isLoopback(address.Hostname())
}

// isLoopback reports whether a host is this machine. The practices of a sandbox are below
// localhost.
func isLoopback(host string) bool {
	address := net.ParseIP(host)
	return host == "localhost" || strings.HasSuffix(host, ".localhost") || address != nil && address.IsLoopback()
}

// AsUser returns a client that calls on behalf of a member of staff, who has authorised the
// application (§5.4). Without a username, its calls fail: they never fall back to the application
// itself.
func (c *Client) AsUser(username string) *Client {
	return c.calling(caller{username: username, isUser: true})
}

// WithAct returns a client that calls for the application itself, and names the person or
// organisation behind the calls (§2.7). The service accepts no act for a user, so it ends AsUser.
func (c *Client) WithAct(act Act) *Client {
	return c.calling(caller{act: &act})
}

func (c *Client) calling(who caller) *Client {
	other := *c
	other.caller = who
	return &other
}
