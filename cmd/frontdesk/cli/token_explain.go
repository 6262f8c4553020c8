package cli

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/netip"
	"os"
	"strings"
	"time"

	"frontdesk/adapters/bearer"
	"frontdesk/adapters/outbound"
	"frontdesk/cmd/frontdesk/sandbox"
	"frontdesk/domain/application"
)

type explainCmd struct {
	networkFlag `embed:""`
	Dir         string    `default:".frontdesk" type:"folder" placeholder:"DIR" help:"The sandbox whose application's keys are used for its tokens."`
	JWKS        string    `name:"jwks" elsewhere:"" placeholder:"FILE|URL" help:"The application's key set."`
	Now         time.Time `placeholder:"INSTANT" help:"When the token arrives; without it, now."`
	JSON        bool      `name:"json" help:"Print one JSON object."`
	Token       string    `arg:"" help:"The token, or the whole Authorization header; - for standard input."`
}

// verdict is what the service would say of a token.
type verdict struct {
	Accepted    bool             `json:"accepted"`
	Signature   bool             `json:"signatureChecked"`
	Code        string           `json:"code,omitempty"`
	Description string           `json:"description,omitempty"`
	Reason      bearer.Reason    `json:"reason,omitempty"`
	Cause       string           `json:"cause,omitempty"` // what the service keeps to itself
	Mode        application.Mode `json:"mode,omitempty"`
	Application string           `json:"application,omitempty"`
	Username    string           `json:"username,omitempty"`
	Header      json.RawMessage  `json:"header,omitempty"` // as far as they can be read
	Claims      json.RawMessage  `json:"claims,omitempty"`
}

// Run judges the token by the same functions as the service does.
func (c *explainCmd) Run(r *run) error {
	header, err := c.header(r)
	if err != nil {
		return err
	}
	if c.Now.IsZero() {
		c.Now = time.Now()
	}
	v, refused := c.judge(r.ctx, header)
	if err := v.print(r.Out, c.JSON); err != nil {
		return err
	}
	return refused
}

// header is the value of an Authorization header.
func (c *explainCmd) header(r *run) (string, error) {
	text := c.Token
	if text == "-" {
		data, err := io.ReadAll(io.LimitReader(r.In, maxToken))
		if err != nil {
			return "", fmt.Errorf("read the token: %w", err)
		}
		text = strings.TrimRight(string(data), "\r\n")
	}
	if name, value, found := strings.Cut(text, ":"); found && strings.EqualFold(name, "Authorization") {
		return strings.Trim(value, blank), nil
	}
	text = strings.Trim(text, blank)
	if strings.Contains(text, " ") {
		return text, nil
	}
	return "Bearer " + text, nil
}

// blank is what HTTP drops around the value of a header.
const blank = " \t"

// judge returns the verdict, and the refusal if it is one.
func (c *explainCmd) judge(ctx context.Context, header string) (verdict, error) {
	var v verdict
	v.Header, v.Claims = peek(header)
	token, err := bearer.Explain([]string{header}, nil, c.Now)
	if keys := c.keys(ctx, token); err == nil && keys != nil {
		v.Signature = true
		token, err = bearer.Explain([]string{header}, keys, c.Now)
	}
	if refusal, refused := errors.AsType[*bearer.Refusal](err); refused {
		v.Code, v.Description, v.Reason = refusal.Fault.Code, refusal.Fault.Detail, refusal.Reason
		if refusal.Cause != nil {
			v.Cause = refusal.Cause.Error()
		}
	}
	if err == nil {
		v.Accepted, v.Mode, v.Application, v.Username = true, token.Mode(), token.Issuer, token.Username()
	}
	return v, err
}

// keys returns what reads the key set; nil if it is not known where the set is.
func (c *explainCmd) keys(ctx context.Context, token bearer.Token) func() (bearer.KeySet, error) {
	place, open := c.JWKS, c.AllowNetwork
	if place == "" {
		info, err := sandbox.ReadInfo(c.Dir)
		if err != nil || info.Application.ID.String() != token.Issuer {
			return nil
		}
		place, open = info.Application.JWKSURL, loopback()
	}
	if !strings.Contains(place, "://") {
		return func() (bearer.KeySet, error) { return readKeys(place) }
	}
	return func() (bearer.KeySet, error) { return fetchKeys(ctx, place, open) }
}

// fetchKeys fetches a key set as the service does, in 5 s at most. open is what
// may be reached beside the public Internet.
func fetchKeys(ctx context.Context, url string, open []netip.Prefix) (bearer.KeySet, error) {
	guard := outbound.Guard{Allow: open}
	cache := bearer.NewKeyCache(bearer.KeyCacheConfig{
		Transport: outbound.NewTransport(guard, nil), CheckURL: guard.CheckURL, Now: time.Now,
	})
	defer cache.Close()
	return cache.Get(ctx, url)
}

func loopback() []netip.Prefix {
	return []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8"), netip.MustParsePrefix("::1/128")}
}

func readKeys(file string) (bearer.KeySet, error) {
	document, err := os.ReadFile(file)
	if err != nil {
		return bearer.KeySet{}, fmt.Errorf("read key set: %w", err)
	}
	return bearer.ReadPublished(file, document)
}

// print shows the verdict on standard output. A refusal also goes to standard error,
// as every failure does.
func (v verdict) print(w io.Writer, asJSON bool) error {
	if asJSON {
		return json.NewEncoder(w).Encode(v)
	}
	var text strings.Builder
	if v.Header != nil {
		fmt.Fprintf(&text, "header: %s\nclaims: %s\n", v.Header, v.Claims)
	}
	switch {
	case v.Accepted && v.Signature:
		fmt.Fprintf(&text, "The service would take this token: %s.\n", v.who())
	case v.Accepted:
		fmt.Fprintf(&text, "So far the service would take this token: %s. For its signature, give --jwks.\n", v.who())
	case v.Cause != "":
		fmt.Fprintf(&text, "The service would refuse this token. It would not tell you, but: %s.\n", v.Cause)
	default:
		fmt.Fprintf(&text, "The service would refuse this token.\n")
	}
	if v.Accepted {
		text.WriteString("Not judged here: whether the application is registered, enabled and granted the endpoint, and whether the user has authorised it.\n")
	}
	_, err := io.WriteString(w, text.String())
	return err
}

func (v verdict) who() string {
	if v.Username == "" {
		return fmt.Sprintf("application %s, for itself", v.Application)
	}
	return fmt.Sprintf("application %s, on behalf of %s", v.Application, v.Username)
}

// peek reads what it can of a token, without judging it.
func peek(header string) (head, claims json.RawMessage) {
	parts := strings.Split(header[strings.LastIndexByte(header, ' ')+1:], ".")
	if len(parts) < 2 {
		return nil, nil
	}
	head, errHead := base64.RawURLEncoding.DecodeString(parts[0])
	claims, errClaims := base64.RawURLEncoding.DecodeString(parts[1])
	if errHead != nil || errClaims != nil || !json.Valid(head) || !json.Valid(claims) {
		return nil, nil
	}
	return head, claims
}
