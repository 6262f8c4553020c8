package integrate

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/netip"
	"os"
	"strings"
	"time"

	"frontdesk/adapters/bearer"
	"frontdesk/adapters/outbound"
	"frontdesk/cmd/frontdesk/cli/term"
	"frontdesk/cmd/frontdesk/devkit/refusals"
	"frontdesk/cmd/frontdesk/devkit/sandbox"
)

type explainCmd struct {
	term.NetworkFlag `embed:""`
	Dir              string    `default:".frontdesk" type:"folder" placeholder:"DIR" help:"The sandbox whose application's keys are used for its tokens."`
	JWKS             string    `name:"jwks" elsewhere:"" placeholder:"FILE|URL" help:"The application's key set."`
	Against          string    `elsewhere:"" placeholder:"URL" help:"A running service to ask with the same token: the practice's {base_url}. It reports the application's registration and cached keys."`
	Now              time.Time `placeholder:"INSTANT" help:"When the token arrives; without it, now. A service that is asked uses its own clock."`
	JSON             bool      `name:"json" help:"Print one JSON object."`
	Token            string    `arg:"" help:"The token, or the whole Authorization header; - for standard input."`
}

// Run judges the token by the same functions as the service does. It fails if the token
// is refused, here or by the service that is asked.
func (c *explainCmd) Run(r *term.Run) error {
	header, err := c.header(r)
	if err != nil {
		return err
	}
	if c.Now.IsZero() {
		c.Now = r.Now()
	}
	v, refused := c.judge(r.Context, header)
	if c.Against != "" {
		if v.Service, err = ask(r.Context, c.Against, header); err != nil {
			return err
		}
	}
	if err := v.print(r, c.JSON); err != nil || refused != nil {
		return errors.Join(err, refused)
	}
	return v.Service.refusal()
}

// header is the value of an Authorization header.
func (c *explainCmd) header(r *term.Run) (string, error) {
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

// blank lists the characters that HTTP drops around the value of a header.
const blank = " \t"

// judge returns the verdict, and the refusal if it is one.
func (c *explainCmd) judge(ctx context.Context, header string) (verdict, error) {
	var v verdict
	v.Header, v.Claims = peek(header)
	token, err := bearer.Explain([]string{header}, nil, c.Now)
	if keys := c.keys(ctx, token); err == nil && keys != nil {
		v.Signature = true
		token, err = bearer.Explain([]string{header}, func() (bearer.KeySet, error) {
			set, err := keys()
			v.KeySet = keySetOf(c.Now, set, err)
			return set, err
		}, c.Now)
	}
	if refusal, refused := errors.AsType[*bearer.Refusal](err); refused {
		v.Code, v.Description, v.Reason = refusal.Fault.Code, refusal.Fault.Detail, refusal.Reason
		v.Fix, v.Page = refusals.Find(v.Code, v.Description), refusals.Page(v.Code)
		if refusal.Cause != nil {
			v.Cause = refusal.Cause.Error()
		}
	}
	if err == nil {
		v.Accepted, v.Mode, v.Application, v.Username = true, token.Mode(), token.Issuer, token.Username()
	}
	return v, err
}

// keys returns the function that reads the key set; nil if its place is unknown.
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
	return func() (bearer.KeySet, error) { return fetchKeys(ctx, place, open, func() time.Time { return c.Now }) }
}

// fetchKeys fetches a key set as the service does, in 5 s at most. open lists the networks
// that may be reached besides the public Internet.
func fetchKeys(ctx context.Context, url string, open []netip.Prefix, now func() time.Time) (bearer.KeySet, error) {
	guard := outbound.Guard{Allow: open}
	cache := bearer.NewKeyCache(bearer.KeyCacheConfig{
		Transport: outbound.NewTransport(guard, nil), CheckURL: guard.CheckURL, Now: now,
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
