package sandbox

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"

	"frontdesk/adapters/postgres/embedded"
	"frontdesk/cmd/frontdesk/app"
	"frontdesk/domain/application"
)

// Config is what a user of the sandbox may choose.
type Config struct {
	Dir   string // absolute; made if it is missing
	Fresh bool   // forget everything that earlier runs have kept
	Trust string // file with a certificate (PEM) to trust beside the sandbox's own; "" for none
	Out   io.Writer
	Log   *slog.Logger
	App   app.Config // Listen, PrivateListen and lifetimes; the sandbox sets the rest
}

const keyName = "application-key.pem"

// ErrNotLoopback refuses to show a sandbox, which trusts everybody, to other
// machines.
var ErrNotLoopback = errors.New("the sandbox listens on loopback only: give --listen as 127.0.0.1:PORT")

// Run starts everything and says how to make the first call. When ctx ends it
// stops everything in reverse. The error is one line that says what to do.
func Run(ctx context.Context, config Config) error {
	if host, _, err := net.SplitHostPort(config.App.Listen); err != nil || !application.IsLoopback(host) {
		return ErrNotLoopback
	}
	release, err := claim(config.Dir)
	if err != nil {
		return err
	}
	defer release()
	ForgetDatabases()
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

// claim takes the directory for this run, and clears what tells of the last one. While
// another sandbox runs there, it leaves everything as it is.
func claim(dir string) (release func(), err error) {
	if err := os.MkdirAll(dir, 0o711); err != nil {
		return nil, fmt.Errorf("make the sandbox's directory (choose another with --dir): %w", err)
	}
	release, err = embedded.Lock(filepath.Join(dir, "sandbox.lock"))
	if errors.Is(err, embedded.ErrInUse) {
		return nil, fmt.Errorf("%s: %w, or choose another directory with --dir", inUse(dir), err)
	}
	if err != nil {
		return nil, fmt.Errorf("write to the sandbox's directory (choose another with --dir): %w", err)
	}
	if err := os.Remove(infoFile(dir)); err != nil && !errors.Is(err, os.ErrNotExist) {
		release()
		return nil, fmt.Errorf("clear the last run (is the directory writable? choose another with --dir): %w", err)
	}
	return release, nil
}

// inUse says where the sandbox of a directory answers, which it does once it has started.
func inUse(dir string) string {
	info, err := ReadInfo(dir)
	if err != nil {
		return "a sandbox is starting in " + dir
	}
	return fmt.Sprintf("a sandbox runs in %s and answers at %s", dir, info.APIURL)
}

// serve runs the application's own server and the service on the database.
func serve(ctx context.Context, config Config, database *embedded.Server) error {
	keys, err := listenKeys(ctx, filepath.Join(config.Dir, keyName))
	if err != nil {
		return err
	}
	defer keys.close()

	clock, err := openClock(config.Dir)
	if err != nil {
		return err
	}
	config.App.Now = clock.Now

	inbox, err := openInbox(config.Dir)
	if err != nil {
		return err
	}
	defer inbox.close()

	service, err := newService(ctx, config, database, inbox)
	if err != nil {
		return err
	}
	if err := furnish(ctx, config, database, service, keys, inbox); err != nil {
		service.Close()
		return err
	}
	control, err := listenControl(ctx, config.Dir, &steering{clock, service}, config.Log)
	if err != nil {
		service.Close()
		return err
	}
	defer control.close()
	defer func() { _ = os.Remove(infoFile(config.Dir)) }()
	return service.Run(ctx)
}

// furnish seeds a service that is about to run, lets its application receive
// webhooks and staff, and tells the user about it.
func furnish(ctx context.Context, config Config, database *embedded.Server, service *app.App, keys *keyServer, inbox *inbox) error {
	if err := inbox.receive(ctx, service.URL(), config.Log); err != nil {
		return err
	}
	s, err := seeded(ctx, config.Dir, service, keys.url(), inbox.server.URL())
	if err != nil {
		return err
	}
	info := infoOf(config, database, service, keys, s)
	info.WebhookReceiver = inbox.info()
	keys.receiveStaff(info)
	if err := writeJSON(infoFile(config.Dir), info); err != nil {
		return err
	}
	welcome(config.Out, config.Dir, info)
	return nil
}

// newService is the service with the settings that are the sandbox's own.
func newService(ctx context.Context, config Config, database *embedded.Server, inbox *inbox) (_ *app.App, err error) {
	c := config.App
	c.Log = config.Log
	if c.MasterKey, err = masterKey(config.Dir); err != nil {
		return nil, err
	}
	if c.RootCAs, err = inbox.trusted(config.Trust); err != nil {
		return nil, err
	}
	c.PrivateListen = privateAddress(ctx, c.PrivateListen, c.Log)
	c.DatabaseURL = database.URL(databaseName, servingRole)
	c.APIDomain, c.DefaultTenant = "localhost", tenant
	c.AllowNetwork = append(c.AllowNetwork, netip.MustParsePrefix("127.0.0.0/8"), netip.MustParsePrefix("::1/128"))
	return app.New(ctx, c)
}

// privateAddress returns the address that was asked for, or another port of it if that
// one is taken: whoever looks at a sandbox reads from its file where to look.
func privateAddress(ctx context.Context, wanted string, log *slog.Logger) string {
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", wanted)
	if err == nil {
		_ = listener.Close()
	}
	host, _, wrong := net.SplitHostPort(wanted)
	if wrong != nil || !errors.Is(err, syscall.EADDRINUSE) {
		return wanted
	}
	log.WarnContext(ctx, "the port for metrics is taken; another is used", slog.String("taken", wanted))
	return net.JoinHostPort(host, "0")
}

func infoOf(config Config, database *embedded.Server, service *app.App, keys *keyServer, s seed) Info {
	return Info{
		APIURL: service.URL(), AuthURL: byName(service.URL()), PrivateURL: service.PrivateURL(),
		DatabaseURL:      database.URL(databaseName, servingRole),
		AdminDatabaseURL: database.URL(databaseName, embedded.Owner),
		MasterKeyFile:    filepath.Join(config.Dir, masterKeyName),
		TenantID:         tenant,
		Application: Application{
			ID: s.Application, KID: keys.minter.kid, PrivateKeyFile: filepath.Join(config.Dir, keyName),
			JWKSURL: keys.url(), Callbacks: []string{keys.callbackURL(), callbacks()[1]},
		},
		Staff: s.Staff, People: append([]Staff{s.Staff}, s.Colleagues...), Patients: s.Patients, Day: s.Day,
	}
}

// byName is the address of the staff pages. Browsers make passkeys for names and for no
// bare address, and reach localhost wherever either of its usual addresses is served.
func byName(address string) string {
	for _, bare := range []string{"http://127.0.0.1:", "http://[::1]:"} {
		if port, ok := strings.CutPrefix(address, bare); ok {
			return "http://localhost:" + port
		}
	}
	return address
}
