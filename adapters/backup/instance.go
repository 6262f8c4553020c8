package backup

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5"

	"frontdesk/adapters/background"
	"frontdesk/adapters/clock"
)

// instance is a Postgres that recovers. Only this user reaches it, by a socket in a folder of
// its own, and nothing reads it before it is at its target.
type instance struct {
	tools tools
	data  string
	home  string // for the socket and the log
	own   map[string]string
	run   *exec.Cmd
	ended chan struct{}
}

// settings overrule those of the cluster, which may name hosts, files and libraries that are
// not here.
func (i *instance) settings() (args []string) {
	all := map[string]string{
		"listen_addresses": "", "unix_socket_directories": i.home, "port": "5432", "unix_socket_permissions": "0700",
		"config_file": filepath.Join(i.home, "postgresql.conf"), "hba_file": filepath.Join(i.home, "pg_hba.conf"), "ident_file": filepath.Join(i.home, "pg_ident.conf"),
		"hot_standby": "off", "ssl": "off", "shared_preload_libraries": "", "synchronous_standby_names": "", "primary_conninfo": "",
		"max_prepared_transactions": "1000", "max_connections": "100", "logging_collector": "off", "log_destination": "stderr",
		"recovery_target_action": "promote", "recovery_target_timeline": "latest", "log_min_error_statement": "panic", "log_error_verbosity": "terse", "log_timezone": "UTC", "datestyle": "ISO", "log_min_messages": "warning",
	}
	maps.Copy(all, i.own)
	args = []string{"-D", i.data}
	for name, value := range all {
		args = append(args, "-c", name+"="+value)
	}
	return args
}

func (i *instance) log() string { return filepath.Join(i.home, "log") }

// start starts it.
func (i *instance) start(ctx context.Context) error {
	for name, text := range map[string]string{"postgresql.conf": "", "pg_ident.conf": "", "pg_hba.conf": "local all all trust\n"} {
		if err := os.WriteFile(filepath.Join(i.home, name), []byte(text), 0o600); err != nil {
			return fmt.Errorf("start Postgres: %w", err)
		}
	}
	log, err := os.OpenFile(i.log(), os.O_CREATE|os.O_WRONLY|os.O_TRUNC, 0o600)
	if err != nil {
		return fmt.Errorf("start Postgres: %w", err)
	}
	defer log.Close()
	i.run = i.tools.command(context.WithoutCancel(ctx), "postgres", i.settings()...) // end ends it
	i.run.Stdout, i.run.Stderr = log, log
	i.run.SysProcAttr = endsWithUs(syscall.SIGQUIT) // it ends with this process
	started, ended := make(chan error, 1), make(chan struct{})
	go func() {
		runtime.LockOSThread() // which the signal is bound to
		defer close(ended)
		err := i.run.Start()
		if started <- err; err == nil {
			_ = i.run.Wait()
		}
	}()
	if err := <-started; err != nil {
		return fmt.Errorf("start Postgres: %w", err)
	}
	i.ended = ended
	return nil
}

// end stops it.
func (i *instance) end() {
	if i.ended == nil {
		return
	}
	select {
	case <-i.ended:
		return
	default:
	}
	_ = i.run.Process.Signal(syscall.SIGINT)
	select {
	case <-i.ended:
	case <-time.After(time.Minute):
		_ = i.run.Process.Signal(syscall.SIGQUIT)
		<-i.ended
	}
}

// errEnded reports that Postgres has ended while it recovered.
var errEnded = errors.New("the recovery ended")

// recovered waits until it takes changes.
func (i *instance) recovered(ctx context.Context, limit time.Duration) error {
	for watch := clock.Start(); ; background.Sleep(ctx, 100*time.Millisecond) {
		select {
		case <-i.ended:
			return fmt.Errorf("%w: %s", errEnded, i.complaint())
		default:
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		var recovering bool
		if err := i.ask(ctx, "postgres", `SELECT pg_is_in_recovery()`, &recovering); err == nil && !recovering {
			return nil
		}
		if watch.Elapsed() > limit {
			return fmt.Errorf("the recovery is not at its end after %v: its last line is %q", limit, i.complaint())
		}
	}
}

// url is the address of a database of it, for a role.
func (i *instance) url(database, role string) string {
	return fmt.Sprintf("postgres:///%s?host=%s&port=5432&user=%s", database, i.home, role) // the environment may name another
}

func (i *instance) ask(ctx context.Context, database, sql string, into ...any) error {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	conn, err := pgx.Connect(ctx, i.url(database, superuser))
	if err != nil {
		return err
	}
	defer conn.Close(ctx)
	return conn.QueryRow(ctx, sql).Scan(into...)
}

const superuser = "postgres"

var serious = regexp.MustCompile(`(?m)^.*(FATAL|PANIC|ERROR): .*$`)

// complaint returns the last serious line of its log, or its last line.
func (i *instance) complaint() string {
	text, _ := os.ReadFile(i.log())
	lines := serious.FindAll(text, -1)
	if len(lines) == 0 {
		lines = bytes.Split(bytes.TrimSpace(text), []byte("\n"))
	}
	var worst string
	for _, line := range lines {
		if !strings.Contains(string(line), "the database system is") { // said to us, who ask whether it is up
			worst = string(line)
		}
	}
	return worst
}
