package forward

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"syscall"
	"time"
	"unicode/utf8"

	"frontdesk/adapters/clock"
)

const (
	limit      = 30 * time.Second // for one forward; the service times out earlier
	answerRead = 2 << 10          // bytes of an answer that are kept
)

// Target is an address that webhooks are forwarded to.
type Target struct {
	URL  *url.URL
	http *http.Client
}

// ErrTarget refuses an address that webhooks cannot be forwarded to.
var ErrTarget = errors.New("webhooks are forwarded to an http or https address, such as http://localhost:3000/hook")

// NewTarget returns the target at an address.
func NewTarget(address string) (*Target, error) {
	parsed, err := url.Parse(address)
	if err != nil || parsed.Host == "" || parsed.Scheme != "http" && parsed.Scheme != "https" {
		return nil, ErrTarget
	}
	return &Target{parsed, &http.Client{
		// A connection for each: Go repeats a request that a kept connection has lost.
		// Compressed bodies stay compressed, because the program's own header declares who
		// can read them.
		Transport:     &http.Transport{DisableKeepAlives: true, DisableCompression: true, DialContext: (&net.Dialer{Timeout: limit}).DialContext},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		Timeout:       limit,
	}}, nil
}

// Attempt is how one forward went.
type Attempt struct {
	At      time.Time
	Took    time.Duration
	Status  int    // of the program's answer; 0 if there was none
	Answer  string // the beginning of its body
	Failure string // why there was no answer; "" if there was one
}

// Fine reports whether the program has taken the webhook.
func (a Attempt) Fine() bool { return a.Status >= 200 && a.Status < 300 }

// Word is the answer if it is one word: the receivers of the client packages name the reason of a
// refusal so.
func (a Attempt) Word() string {
	return oneWord.FindString(strings.TrimSpace(a.Answer))
}

var oneWord = regexp.MustCompile(`^[A-Za-z0-9-]{1,40}$`)

// Send forwards a webhook, once, and returns when it did.
func (t *Target) Send(ctx context.Context, at time.Time, header http.Header, body []byte) Attempt {
	watch, attempt := clock.Start(), Attempt{At: at}
	response, err := t.post(ctx, header, body)
	if err == nil {
		defer response.Body.Close()
		attempt.Status = response.StatusCode
		attempt.Answer = beginning(response.Body)
	} else {
		attempt.Failure = t.reason(ctx, err)
	}
	attempt.Took = watch.Elapsed()
	return attempt
}

func (t *Target) post(ctx context.Context, header http.Header, body []byte) (*http.Response, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, t.URL.String(), bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	request.GetBody = nil // nothing is sent twice
	request.Header = asSent(header)
	return t.http.Do(request)
}

// ofConnections are the headers of a connection, as opposed to its content (RFC 9110, 7.6.1).
var ofConnections = []string{"Connection", "Keep-Alive", "Proxy-Connection", "TE", "Trailer", "Transfer-Encoding", "Upgrade"}

// asSent is a webhook's header without the headers of its connection. Nothing is added.
func asSent(header http.Header) http.Header {
	sent := maps.Clone(header)
	for _, name := range ofConnections {
		sent.Del(name)
	}
	if _, named := sent["User-Agent"]; !named {
		sent["User-Agent"] = nil // Go would name itself
	}
	return sent
}

func beginning(body io.Reader) string {
	content, _ := io.ReadAll(io.LimitReader(body, answerRead)) // the part that arrived is shown
	text := strings.ToValidUTF8(string(content), "")
	if len(text) < len(content)-utf8.UTFMax { // no text
		return fmt.Sprintf("%d bytes that are no text", len(content))
	}
	return text
}

// reason explains why there was no answer, with the fix.
func (t *Target) reason(ctx context.Context, err error) string {
	var timeout interface{ Timeout() bool }
	switch {
	case errors.Is(err, syscall.ECONNREFUSED):
		return fmt.Sprintf("nothing listens at %s: start your program, or name another address with --forward-to", t.URL.Host)
	case ctx.Err() != nil:
		return "the sender gave up before your program answered: answer first, and work afterwards"
	case errors.As(err, &timeout) && timeout.Timeout():
		return fmt.Sprintf("your program did not answer within %s", limit)
	}
	if failed, ok := errors.AsType[*url.Error](err); ok {
		err = failed.Err
	}
	return err.Error()
}
