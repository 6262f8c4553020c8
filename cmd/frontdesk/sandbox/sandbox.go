package sandbox

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"frontdesk/adapters/postgres/embedded"
	"frontdesk/cmd/frontdesk/app"
	"frontdesk/domain/application"
)

// Config is what somebody who tries frontdesk out may choose.
type Config struct {
	Dir   string // absolute; made when missing
	Fresh bool   // forget what earlier runs have kept
	Trust string // file with a certificate (PEM) to trust beside the sandbox's own; "" for none
	Out   io.Writer
	Log   *slog.Logger
	App   app.Config // Listen, PrivateListen and lifetimes; the rest is the sandbox's
}

const keyName = "application-key.pem"

// ErrNotLoopback is the refusal to show a sandbox, which trusts everybody, to
// others.
var ErrNotLoopback = errors.New("the sandbox listens on loopback only: give --listen as 127.0.0.1:PORT")

// Run starts everything, says how to make the first call, and stops all of it
// in reverse when ctx ends. The error is one line that says what to do.
func Run(ctx context.Context, config Config) error {
	if host, _, err := net.SplitHostPort(config.App.Listen); err != nil || !application.IsLoopback(host) {
		return ErrNotLoopback
	}
	if err := os.Remove(infoFile(config.Dir)); err != nil && !errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("clear the last run (is the directory writable? choose another with --dir): %w", err)
	}
	database, err := startDatabase(ctx, config)
	if err != nil {
		return err
	}
	defer stopDatabase(ctx, database)
	var keeper sync.WaitGroup
	keeping, stop := context.WithCancel(ctx)
	keeper.Go(func() { keepDatabase(keeping, database, config.Log) })
	defer func() { stop(); keeper.Wait() }()
	return serve(ctx, config, database)
}

// serve runs the application's own server and the service on the database.
func serve(ctx context.Context, config Config, database *embedded.Server) error {
	keys, err := listenKeys(ctx, filepath.Join(config.Dir, keyName))
	if err != nil {
		return err
	}
	defer keys.close()

	inbox, err := openInbox(config.Dir)
	if err != nil {
		return err
	}
	defer inbox.close()

	settings, err := appConfig(config, database, inbox)
	if err != nil {
		return err
	}
	service, err := app.New(ctx, settings)
	if err != nil {
		return err
	}
	s, err := furnished(ctx, config, service, keys, inbox)
	if err != nil {
		service.Close()
		return err
	}
	info := infoOf(config, database, service, keys, s)
	info.WebhookReceiver = inbox.info()
	keys.receiveStaff(info)
	if err := writeJSON(infoFile(config.Dir), info); err != nil {
		service.Close()
		return err
	}
	defer func() { _ = os.Remove(infoFile(config.Dir)) }()
	welcome(config.Out, config.Dir, info)
	return service.Run(ctx)
}

// furnished is the seed of a service that is about to run.
func furnished(ctx context.Context, config Config, service *app.App, keys *keyServer, inbox *inbox) (seed, error) {
	if err := inbox.receive(ctx, service.URL(), config.Log); err != nil {
		return seed{}, err
	}
	return seeded(ctx, config.Dir, service.Desk, keys.url(), inbox.server.URL())
}

func appConfig(config Config, database *embedded.Server, inbox *inbox) (c app.Config, err error) {
	c = config.App
	if c.MasterKey, err = masterKey(config.Dir); err != nil {
		return c, err
	}
	if c.RootCAs, err = inbox.trusted(config.Trust); err != nil {
		return c, err
	}
	c.DatabaseURL = database.URL(databaseName, servingRole)
	c.APIDomain, c.DefaultTenant = "localhost", tenant
	c.AllowNetwork = append(c.AllowNetwork, netip.MustParsePrefix("127.0.0.0/8"), netip.MustParsePrefix("::1/128"))
	c.Log = config.Log
	return c, nil
}

func infoOf(config Config, database *embedded.Server, service *app.App, keys *keyServer, s seed) Info {
	return Info{
		APIURL: service.URL(), AuthURL: service.URL(), PrivateURL: service.PrivateURL(),
		DatabaseURL:      database.URL(databaseName, servingRole),
		AdminDatabaseURL: database.URL(databaseName, embedded.Superuser),
		TenantID:         tenant,
		Application: Application{
			ID: s.Application, KID: keys.minter.kid, PrivateKeyFile: filepath.Join(config.Dir, keyName),
			JWKSURL: keys.url(), Callbacks: []string{keys.callbackURL(), callbacks()[1]},
		},
		Staff: s.Staff, Patients: s.Patients, Day: s.Day,
	}
}

// keyServer publishes the sandbox application's keys, as an integrator would.
type keyServer struct {
	minter   Minter
	callback atomic.Pointer[visitor]
	listener net.Listener
	http     *http.Server
	done     chan struct{}
}

func listenKeys(ctx context.Context, file string) (*keyServer, error) {
	minter, err := loadKey(file, application.ID{})
	if err != nil {
		return nil, err
	}
	jwks, err := minter.JWKS()
	if err != nil {
		return nil, fmt.Errorf("publish keys: %w", err)
	}
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("publish keys: %w", err)
	}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /jwks.json", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/jwk-set+json")
		_, _ = w.Write(jwks)
	})
	s := &keyServer{
		minter: minter, listener: listener, done: make(chan struct{}),
		http: &http.Server{Handler: mux, ReadHeaderTimeout: 10 * time.Second},
	}
	mux.HandleFunc("GET /callback", s.serveCallback)
	go func() {
		defer close(s.done)
		_ = s.http.Serve(listener) // until close
	}()
	return s, nil
}

func (s *keyServer) url() string { return "http://" + s.listener.Addr().String() + "/jwks.json" }

func (s *keyServer) close() {
	_ = s.http.Close()
	<-s.done
}
