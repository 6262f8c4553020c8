package app

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// Outside is the address of a practice's API, where a running service is called as
// applications call it.
type Outside struct {
	URL    *url.URL       // https, without a path
	Roots  *x509.CertPool // nil for the system's
	Lookup func(ctx context.Context, host string) ([]string, error)
	Dial   func(ctx context.Context, network, address string) (net.Conn, error)
	Now    func() time.Time
}

// The bounds of a good state.
const (
	certificateWarns = 14 * 24 * time.Hour // as the alert CertificateEnds
	dateWarns        = 3 * time.Second     // Date has whole seconds
	mostAnswer       = 64 << 10            // bytes of an answer that are read
)

// ParseOutside reads the address of a practice's API, such as
// https://elm-street.api.example.org.
func ParseOutside(text string) (*url.URL, error) {
	at, err := url.Parse(text)
	if err != nil || at.Scheme != "https" || at.Hostname() == "" || strings.Trim(at.Path, "/") != "" || at.RawQuery != "" || at.Fragment != "" || at.User != nil {
		return nil, errors.New("the address of a practice's API is like https://elm-street.api.example.org")
	}
	at.Path = ""
	return at, nil
}

// Check checks the name, the certificate, the proxy and the answers of the service. It sends no
// token, and ends at the first check that fails.
func (o Outside) Check(ctx context.Context) []Finding {
	all := []Finding{within(ctx, o.name)}
	for _, next := range []look{o.certificate, o.keySet, o.unsigned, o.plain} {
		if all[len(all)-1].Err != nil {
			break
		}
		all = append(all, within(ctx, next))
	}
	return all
}

func (o Outside) name(ctx context.Context) Finding {
	addresses, err := o.Lookup(ctx, o.URL.Hostname())
	if err != nil {
		err = fmt.Errorf("give %s an address in DNS: %w", o.URL.Hostname(), err)
	}
	return found("name", fmt.Sprintf("%s is %s", o.URL.Hostname(), strings.Join(addresses, ", ")), err)
}

// certificate warns of a chain that ends soon.
func (o Outside) certificate(ctx context.Context) Finding {
	conn, err := o.Dial(ctx, "tcp", net.JoinHostPort(o.URL.Hostname(), o.port()))
	if err != nil {
		return found("certificate", "", fmt.Errorf("start the proxy, and open its port: %w", err))
	}
	defer conn.Close()
	secure := tls.Client(conn, o.trust())
	if err := secure.HandshakeContext(ctx); err != nil {
		return found("certificate", "", fmt.Errorf("give the proxy a certificate for %s: %w", o.URL.Hostname(), err))
	}
	chain := secure.ConnectionState().PeerCertificates
	ends := chain[0].NotAfter
	for _, certificate := range chain {
		if certificate.NotAfter.Before(ends) {
			ends = certificate.NotAfter
		}
	}
	if left := ends.Sub(o.Now()); left < certificateWarns {
		return Finding{
			What: "certificate", Warns: true, Says: "it ends soon: find out why it is not renewed, and renew it",
			About: []slog.Attr{slog.Time("ends", ends.UTC())},
		}
	}
	return found("certificate", fmt.Sprintf("the system trusts it until %s", ends.UTC().Format(time.DateOnly)), nil)
}

func (o Outside) port() string {
	if port := o.URL.Port(); port != "" {
		return port
	}
	return "443"
}

func (o Outside) trust() *tls.Config {
	return &tls.Config{ServerName: o.URL.Hostname(), RootCAs: o.Roots, MinVersion: tls.VersionTLS12}
}

// keySet fetches what receivers of webhooks fetch, and compares the clocks.
func (o Outside) keySet(ctx context.Context) Finding {
	answer, err := o.call(ctx, http.MethodGet, o.URL, "/transactional-api/jwks")
	if err != nil {
		return found("key set", "", err)
	}
	var set struct{ Keys []json.RawMessage }
	if answer.code != http.StatusOK || json.Unmarshal(answer.body, &set) != nil {
		return found("key set", "", fmt.Errorf("the service answers %s, and no key set: frontdesk ready shows its state", answer.status))
	}
	date, err := http.ParseTime(answer.date)
	if ahead := o.Now().Sub(date); err == nil && ahead.Abs() > dateWarns {
		return Finding{
			What: "key set", Warns: true, Says: "the clock of this machine differs from the service's: set the one that is wrong",
			About: []slog.Attr{slog.Duration("ahead", ahead)},
		}
	}
	return found("key set", fmt.Sprintf("%d keys are published, and the clocks agree", len(set.Keys)), nil)
}

// unsigned checks that the service, and not its proxy, refuses a call without a token.
func (o Outside) unsigned(ctx context.Context) Finding {
	answer, err := o.call(ctx, http.MethodPost, o.URL, "/transactional-api/create-patient-request")
	if err != nil {
		return found("refusal", "", err)
	}
	var refusal struct{ Errors []struct{ Code string } }
	if answer.code/100 != 4 || json.Unmarshal(answer.body, &refusal) != nil || len(refusal.Errors) == 0 {
		return found("refusal", "", fmt.Errorf("a call without a token is answered %s, and not refused as the contract says: "+
			"have the proxy pass /transactional-api/ on as it comes", answer.status))
	}
	return found("refusal", fmt.Sprintf("a call without a token is answered %d %s", answer.code, refusal.Errors[0].Code), nil)
}

// plain warns of calls that are answered without TLS. Nothing has to listen there.
func (o Outside) plain(ctx context.Context) Finding {
	answer, err := o.call(ctx, http.MethodGet, &url.URL{Scheme: "http", Host: o.URL.Hostname()}, "/transactional-api/jwks")
	if err == nil && answer.code == http.StatusOK {
		return Finding{What: "plain http", Warns: true, Says: "calls are answered without TLS, so others can read their tokens: refuse them in the proxy"}
	}
	return found("plain http", "no call is answered without TLS", nil)
}

// outsideAnswer is what a caller sees.
type outsideAnswer struct {
	code   int
	status string // such as "404 Not Found"
	date   string
	body   []byte
}

// call calls a path on a connection of its own, and follows no redirect.
func (o Outside) call(ctx context.Context, method string, at *url.URL, path string) (outsideAnswer, error) {
	request, err := http.NewRequestWithContext(ctx, method, at.JoinPath(path).String(), http.NoBody)
	if err != nil {
		return outsideAnswer{}, fmt.Errorf("call %s: %w", path, err)
	}
	client := http.Client{
		Transport:     &http.Transport{DialContext: o.Dial, TLSClientConfig: o.trust(), DisableKeepAlives: true},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	answer, err := client.Do(request)
	if err != nil {
		return outsideAnswer{}, fmt.Errorf("call %s: %w", path, err)
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(io.LimitReader(answer.Body, mostAnswer))
	if err != nil {
		return outsideAnswer{}, fmt.Errorf("read the answer of %s: %w", path, err)
	}
	return outsideAnswer{answer.StatusCode, answer.Status, answer.Header.Get("Date"), body}, nil
}
