package sandbox

import (
	"bytes"
	"context"
	_ "embed" // the page
	"encoding/json"
	"fmt"
	"html/template"
	"io"
	"net/http"
	"net/url"
	"time"
)

//go:embed callback.html
var callbackSource string

var callbackPage = template.Must(template.New("callback").Parse(callbackSource))

// visitor is the sandbox application as staff see it: they come back to it
// from the authorisation page, and it calls in their name.
type visitor struct {
	minter   Minter
	apiURL   string
	askURL   string // where staff are asked again
	stopURL  string // where they stop it
	transfer *http.Client
}

// result is what the callback page shows.
type result struct {
	Declined            bool
	Username, ExpiresAt string
	Call, Status, Body  string
	Failed              string // why there was no answer
	Ask, Stop           string
}

const callLimit = 10 * time.Second

// ServeHTTP is the callback (§5.4): it makes a user-restricted call at once,
// with nothing but the username that it was told, and shows the answer.
func (v *visitor) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	query := r.URL.Query()
	shown := result{
		Declined: query.Has("error"), Username: query.Get("username"), ExpiresAt: query.Get("expiresAt"),
		Ask: v.askURL, Stop: v.stopURL,
	}
	if shown.Username != "" && !shown.Declined {
		if err := v.call(r.Context(), &shown); err != nil {
			shown.Failed = err.Error()
		}
	}
	var page bytes.Buffer
	if err := callbackPage.Execute(&page, shown); err != nil {
		http.Error(w, "The page could not be made.", http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Header().Set("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; frame-ancestors 'none'")
	_, _ = page.WriteTo(w)
}

// call pings in the name of a member of staff (§4.2, §5.3).
func (v *visitor) call(ctx context.Context, shown *result) error {
	token, err := v.minter.Mint(shown.Username, time.Now())
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, callLimit)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, v.apiURL+"/transactional-api/ping", http.NoBody)
	if err != nil {
		return fmt.Errorf("make the call: %w", err)
	}
	request.Header.Set("Authorization", "Bearer "+token)
	answer, err := v.transfer.Do(request)
	if err != nil {
		return fmt.Errorf("make the call: %w", err)
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(io.LimitReader(answer.Body, 64<<10))
	if err != nil {
		return fmt.Errorf("read the answer: %w", err)
	}
	var indented bytes.Buffer
	if json.Indent(&indented, bytes.TrimSpace(body), "", "  ") != nil {
		indented.Write(body)
	}
	shown.Call, shown.Status, shown.Body = "GET "+request.URL.String(), answer.Status, indented.String()
	return nil
}

// receiveStaff lets the application's callback answer: it needs to know who
// the application is and where the service is, which its keys do not.
func (s *keyServer) receiveStaff(info Info) {
	minter := s.minter
	minter.app = info.Application.ID
	s.callback.Store(&visitor{
		minter: minter, apiURL: info.APIURL, askURL: info.AuthoriseURL(),
		stopURL:  info.AuthURL + "/" + info.TenantID + "/staff/authorisations",
		transfer: &http.Client{},
	})
}

// serveCallback answers once receiveStaff was called.
func (s *keyServer) serveCallback(w http.ResponseWriter, r *http.Request) {
	if v := s.callback.Load(); v != nil {
		v.ServeHTTP(w, r)
		return
	}
	http.Error(w, "The sandbox is not ready yet.", http.StatusServiceUnavailable)
}

func (s *keyServer) callbackURL() string { return "http://" + s.listener.Addr().String() + "/callback" }

// AuthoriseURL is where the sandbox application sends a browser, so that staff
// let it act for them (§4.4).
func (i Info) AuthoriseURL() string {
	query := url.Values{"app": {i.Application.ID.String()}, "redirect": {i.Application.Callbacks[0]}}
	return i.AuthURL + "/" + i.TenantID + "/staff/authorise?" + query.Encode()
}
