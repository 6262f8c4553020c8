//go:build prove

package main_test

import (
	"context"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"regexp"
	"strings"
	"time"
)

// from is a client that calls from one address, and always the service, under any host name.
// It follows no redirects.
func from(source *net.TCPAddr, address string, patience time.Duration) *http.Client {
	dialer := &net.Dialer{Timeout: 5 * time.Second, LocalAddr: source}
	return &http.Client{
		Timeout: patience,
		Transport: &http.Transport{
			MaxIdleConnsPerHost: 64,
			DialContext: func(ctx context.Context, network, _ string) (net.Conn, error) {
				return dialer.DialContext(ctx, network, address)
			},
		},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

// browser is a user who looks at the pages of a practice and keeps cookies. It holds the last
// page.
type browser struct {
	client *http.Client
	base   string
	page   string
}

func newBrowser(tenant string, client *http.Client) *browser {
	client.Jar, _ = cookiejar.New(nil) // never fails
	return &browser{client: client, base: "http://" + pagesHost + "/" + tenant + "/staff"}
}

func (b *browser) get(ctx context.Context, path string) (status int, err error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, b.base+path, http.NoBody)
	if err != nil {
		return 0, err
	}
	status, b.page, err = b.ask(r)
	return status, err
}

// send sends the page's form that leads to a path. The page stays as it is, so
// that the form can be sent again.
func (b *browser) send(ctx context.Context, path string, fields url.Values) (status int, err error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, b.base+path, strings.NewReader(b.filled(path, fields).Encode()))
	if err != nil {
		return 0, err
	}
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	status, _, err = b.ask(r)
	return status, err
}

func (b *browser) ask(r *http.Request) (status int, page string, err error) {
	answer, err := b.client.Do(r)
	if err != nil {
		return 0, "", err
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	return answer.StatusCode, string(body), err
}

var hidden = regexp.MustCompile(`type="hidden" name="(\w+)" value="([^"]*)"`)

// filled is the fields, and the hidden fields of the page's form.
func (b *browser) filled(path string, fields url.Values) url.Values {
	all := url.Values{}
	form := regexp.MustCompile(`(?s)<form[^>]* action="[^"]*` + path + `"(.*?)</form>`).FindString(b.page)
	for _, field := range hidden.FindAllStringSubmatch(form, -1) {
		all.Set(field[1], field[2])
	}
	maps.Copy(all, fields)
	return all
}

func (m member) signIn() url.Values {
	return url.Values{"username": {m.Username}, "password": {m.Password}}
}

// wants is nil if an answer has one of the statuses.
func wants(status int, err error, statuses ...int) error {
	for _, want := range statuses {
		if err == nil && status == want {
			return nil
		}
	}
	if err != nil {
		return err
	}
	return fmt.Errorf("%d", status)
}
