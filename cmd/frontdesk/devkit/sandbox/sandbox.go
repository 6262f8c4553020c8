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
	"time"

	"frontdesk/adapters/durable"
	"frontdesk/adapters/postgres/embedded"
	"frontdesk/cmd/frontdesk/app"
	"frontdesk/cmd/frontdesk/devkit/reference"
	"frontdesk/domain/application"
)

// Config is the configuration that a user of the sandbox may choose.
type Config struct {
	Dir   string // absolute; made if it is missing
	Fresh bool   // remove all files of earlier runs
	Seed  string // [Quiet] or [Busy]; "" for the one that Dir has, or Quiet
	// Container serves all who reach the container, and gives them the application's key. Nothing
	// is kept: each start begins from the seed.
	Container bool
	Trust     string // file with a certificate (PEM) to trust in addition to the sandbox's own; "" for none
	Out       io.Writer
	Log       *slog.Logger
	Now       func() time.Time // real time
	App       app.Config       // Listen, PrivateListen and lifetimes; the sandbox sets the rest

	Started func() // is called once, when the file with all addresses is written; nil for none
}

const keyName = "application-key.pem"

// ErrNotLoopback refuses to show a sandbox, which trusts every client, to other machines.
var ErrNotLoopback = errors.New("the sandbox listens on loopback only: give --listen as 127.0.0.1:PORT")

// Run starts everything and prints how to make the first call. When ctx ends it stops
// everything in reverse. The error is one line that includes the fix.
func Run(ctx context.Context, config Config) error {
	host, _, err := net.SplitHostPort(config.App.Listen)
	if err != nil || !application.IsLoopback(host) && !config.Container {
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

// claim locks the directory for this run, and removes the files that describe the last one.
// While another sandbox runs there, it changes nothing.
func claim(dir string) (release func(), err error) {
	if err := os.MkdirAll(dir, 0o711); err != nil {
		return nil, fmt.Errorf("make the sandbox's directory (choose another with --dir): %w", err)
	}
	if err := checkUnused(dir); err != nil {
		return nil, err
	}
	lock, err := durable.Hold(filepath.Join(dir, lockName), os.O_CREATE)
	if errors.Is(err, durable.ErrInUse) {
		return nil, fmt.Errorf("%s: %w, or choose another directory with --dir", inUse(dir), err)
	}
	if err != nil {
		return nil, fmt.Errorf("write to the sandbox's directory (choose another with --dir): %w", err)
	}
	if err := os.Remove(InfoFile(dir)); err != nil && !errors.Is(err, os.ErrNotExist) {
		_ = lock.Close()
		return nil, fmt.Errorf("clear the last run (is the directory writable? choose another with --dir): %w", err)
	}
	return func() { _ = lock.Close() }, nil
}

// inUse describes where the sandbox of a directory answers, which it does once it has
// started.
func inUse(dir string) string {
	info, err := ReadInfo(dir)
	if err != nil {
		return "a sandbox is starting in " + dir
	}
	return fmt.Sprintf("a sandbox runs in %s and answers at %s", dir, info.APIURL)
}

// serve runs the application's own server and the service on the database.
func serve(ctx context.Context, config Config, database *embedded.Server) (err error) {
	i := &instance{config: config, database: database, resets: make(chan chan<- error)}
	if i.clock, err = openClock(config.Dir, config.Now); err != nil {
		return err
	}
	if i.keys, err = listenKeys(ctx, filepath.Join(config.Dir, keyName), config.Now); err != nil {
		return err
	}
	defer i.keys.close()
	if i.inbox, err = openInbox(config.Dir, config.Now); err != nil {
		return err
	}
	defer i.inbox.close()
	addresses := &sockets{}
	defer addresses.close()
	if i.service, err = i.settings(ctx, addresses); err != nil {
		return err
	}
	if err := i.inbox.receive(ctx, i.url(), config.Log); err != nil {
		return err
	}
	orders, err := listenControl(ctx, config.Dir, i, config.Log)
	if err != nil {
		return err
	}
	defer orders.close()
	return i.run(ctx)
}

func infoOf(i *instance, service *app.App, s seed) Info {
	config, database, keys := i.config, i.database, i.keys
	return Info{
		APIURL: i.url(), AuthURL: byName(i.url()), PrivateURL: service.PrivateURL(),
		DocsURL:          i.url() + reference.Prefix,
		DatabaseURL:      database.URL(databaseName, servingRole),
		AdminDatabaseURL: database.URL(databaseName, embedded.Owner),
		MasterKeyFile:    filepath.Join(config.Dir, masterKeyName),
		TenantID:         tenant,
		Application: Application{
			ID: s.Application, KID: keys.signer.KID(), PrivateKeyFile: filepath.Join(config.Dir, keyName),
			JWKSURL: keys.url(), Callbacks: []string{keys.callbackURL(), callbacks()[1]},
		},
		WebhookReceiver: i.inbox.info(), Causes: causesOf(s, byName(i.url())),
		Staff: s.Staff, People: append([]Staff{s.Staff}, s.Colleagues...), Patients: s.Patients, Day: s.Day,
	}
}

// url is the address of the service on this machine. A container's port is published as the same
// one of the machine, so it is also the address there.
func (i *instance) url() string {
	host, port, _ := net.SplitHostPort(i.service.Listen) // it was listened on
	if address, err := netip.ParseAddr(host); err == nil && address.IsUnspecified() {
		host = "127.0.0.1"
	}
	return "http://" + net.JoinHostPort(host, port)
}

// byName is the address of the staff pages. Browsers make passkeys for names and not for bare
// addresses, and localhost reaches both of its usual addresses.
func byName(address string) string {
	for _, bare := range []string{"http://127.0.0.1:", "http://[::1]:"} {
		if port, ok := strings.CutPrefix(address, bare); ok {
			return "http://localhost:" + port
		}
	}
	return address
}
