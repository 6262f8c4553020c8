//go:build walk

package main_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"syscall"
)

// debian makes a cluster as Debian does: its settings are in a folder of their own, which
// also has conf.d. Connections by network need a password.
const debian = `as() { if [ $(id -u) = 0 ]; then runuser -u postgres -- "$@"; else "$@"; fi; }
mkdir -p "$DATA" "$SETTINGS"
if [ $(id -u) = 0 ]; then chown postgres "$(dirname "$DATA")" "$DATA" "$SETTINGS" "$SOCKETS"; fi
cd "$SETTINGS"
as initdb --pgdata "$DATA" --username postgres --auth-local trust --auth-host scram-sha-256 --encoding UTF8 --locale C.UTF-8 --no-sync > /dev/null
as mv "$DATA"/postgresql.conf "$DATA"/pg_hba.conf "$DATA"/pg_ident.conf .
as mkdir conf.d
echo "data_directory = '$DATA'
hba_file = '$SETTINGS/pg_hba.conf'
ident_file = '$SETTINGS/pg_ident.conf'
listen_addresses = '127.0.0.1'
port = $PORT
unix_socket_directories = '$SOCKETS'
fsync = off
include_dir = 'conf.d'" >> postgresql.conf
as pg_ctl start --wait --pgdata "$SETTINGS" --log "$SETTINGS/log" > /dev/null`

// hasPostgres makes a machine with Postgres.
func (o *operator) hasPostgres(machine string) {
	o.t.Helper()
	port, data, settings := strconv.Itoa(freePort(o.t)), filepath.Join(o.dir, machine, "main"), o.settings(machine)
	o.db[machine] = port
	o.insteadOf("@"+machine+"/", "@127.0.0.1:"+port+"/")
	o.goesTo(machine)
	cluster := exec.CommandContext(o.t.Context(), "bash", "-euc", debian)
	cluster.Env = append(os.Environ(), "PATH="+programs(o.t)+":"+os.Getenv("PATH"), "DATA="+data, "SETTINGS="+settings, "PORT="+port, "SOCKETS="+filepath.Join(o.dir, "run"))
	if said, err := cluster.CombinedOutput(); err != nil {
		o.t.Fatalf("make a cluster: %v: %s", err, said)
	}
	o.t.Cleanup(func() {
		end := exec.CommandContext(context.WithoutCancel(o.t.Context()), filepath.Join(programs(o.t), "pg_ctl"), "stop", "--mode", "immediate", "--pgdata", settings)
		end.Dir = "/"
		if os.Geteuid() == 0 {
			end.SysProcAttr = &syscall.SysProcAttr{Credential: userOf(o.t, "postgres")}
		}
		if said, err := end.CombinedOutput(); err != nil {
			o.t.Errorf("stop Postgres: %v: %s", err, said)
		}
	})
}

// goesTo makes the following lines use the Postgres of this machine.
func (o *operator) goesTo(machine string) {
	o.insteadOf("/var/lib/postgresql/15/main", filepath.Join(o.dir, machine, "main"))
	o.insteadOf("/etc/postgresql/15/main", o.settings(machine))
	if o.shell != nil {
		o.types(fmt.Sprintf("export PGPORT=%s PGDATA=%q", o.db[machine], o.settings(machine)))
	}
}

// settings is the folder of a machine's settings of Postgres.
func (o *operator) settings(machine string) string {
	return o.at("etc/postgresql/" + machine)
}
