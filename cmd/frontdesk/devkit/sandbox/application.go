package sandbox

import (
	"bytes"
	"context"
	_ "embed" // the callback's page
	"encoding/json"
	"errors"
	"fmt"
	"html/template"
	"io"
	"io/fs"
	"net"
	"net/http"
	"sync/atomic"
	"time"

	"frontdesk.example/client"
	"frontdesk/adapters/background"
)

// keyServer is the sandbox application's own server, as an integrator would run
// it: it publishes the application's keys and receives staff at its callback.
type keyServer struct {
	signer   *client.Signer
	now      func() time.Time
	callback atomic.Pointer[visitor]
	http     *background.Server
}

func listenKeys(ctx context.Context, file string, now func() time.Time) (*keyServer, error) {
	signer, err := openSigner(file)
	if err != nil {
		return nil, err
	}
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("publish keys: %w", err)
	}
	s := &keyServer{signer: signer, now: now}
	s.http = background.Serve(listener, &http.Server{Handler: s.routes(), ReadHeaderTimeout: 10 * time.Second})
	return s, nil
}

// openSigner reads the key in a file, or makes one.
func openSigner(file string) (*client.Signer, error) {
	key, err := client.ReadKey("", file)
	if errors.Is(err, fs.ErrNotExist) {
		if err = client.GenerateKey(file); err == nil {
			key, err = client.ReadKey("", file)
		}
	}
	if err != nil {
		return nil, err
	}
	return client.NewSigner(key)
}

func (s *keyServer) routes() http.Handler {
	mux := http.NewServeMux()
	mux.Handle("GET /jwks.json", s.signer)
	mux.HandleFunc("GET /callback", s.serveCallback)
	return mux
}

func (s *keyServer) url() string { return "http://" + s.http.Address() + "/jwks.json" }

func (s *keyServer) close() { s.http.Close() }

// receiveStaff enables the callback. It needs the application and the address of the service,
// which are not known when the keys are published.
func (s *keyServer) receiveStaff(info Info) {
	s.callback.Store(&visitor{
		mint:   func(username string) (string, error) { return s.mint(info, username) },
		apiURL: info.APIURL, askURL: info.AuthoriseURL(),
		stopURL:  info.AuthURL + "/" + info.TenantID + "/staff/authorisations",
		transfer: &http.Client{},
	})
}

// mint signs a token of the sandbox's application. An empty username is the application's own.
func (s *keyServer) mint(info Info, username string) (string, error) {
	return s.signer.Token(info.Application.ID.String(), username, s.now())
}

// serveCallback answers 503 until receiveStaff was called.
func (s *keyServer) serveCallback(w http.ResponseWriter, r *http.Request) {
	if v := s.callback.Load(); v != nil {
		v.ServeHTTP(w, r)
		return
	}
	http.Error(w, "The sandbox is not ready yet.", http.StatusServiceUnavailable)
}

func (s *keyServer) callbackURL() string { return "http://" + s.http.Address() + "/callback" }

//go:embed callback.html
var callbackSource string

var callbackPage = template.Must(template.New("callback").Parse(callbackSource))

// visitor is the sandbox application as staff see it. They return to it from the
// authorisation page, and it then makes a call for them.
type visitor struct {
	mint     func(username string) (string, error)
	apiURL   string
	askURL   string // the page that asks staff again
	stopURL  string // where they stop it
	transfer *http.Client
}

// result is the data of the callback page.
type result struct {
	Declined            bool
	Username, ExpiresAt string
	Call, Status, Body  string
	Failed              string // why there was no answer
	Ask, Stop           string
}

const callLimit = 10 * time.Second

// ServeHTTP is the callback. It makes a user-restricted call at once, with only the username
// that it received, and shows the answer.
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

// call pings in the name of a member of staff.
func (v *visitor) call(ctx context.Context, shown *result) error {
	token, err := v.mint(shown.Username)
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
	shown.Call, shown.Status, shown.Body = "GET "+request.URL.String(), answer.Status, indented(body)
	return nil
}

// indented is JSON for people; other text is returned as it is.
func indented(body []byte) string {
	var text bytes.Buffer
	if json.Indent(&text, bytes.TrimSpace(body), "", "  ") != nil {
		return string(body)
	}
	return text.String()
}
