//go:build walk

package main_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"frontdesk/adapters/clock"
	"frontdesk/adapters/postgres/postgrestest"
	"frontdesk/docs"
)

// The parts of the pages that belong to the whole machine; each test has its own.
var (
	theirFolders   = []string{"/etc/", "/usr/local/", "/var/lib/", "/var/backups/", "/srv/"}
	theirAddresses = []string{"127.0.0.1:8080", "127.0.0.1:8090", "127.0.0.1:9090", "127.0.0.1:9091", "127.0.0.1:9092"}
)

// operatorLimit bounds all that an operator types.
const operatorLimit = 10 * time.Minute

// An operator uses a machine with Postgres, and types the lines of the operators' pages into
// one shell. Things that belong to the whole machine are in a folder of the test.
type operator struct {
	t     *testing.T
	dir   string            // in place of the root of the machine's files
	words []string          // of a page, each followed by the test's replacement
	met   map[string]bool   // which of them were typed
	db    map[string]string // the port of each machine with Postgres
	shell *exec.Cmd
	in    io.WriteCloser
	out   *bufio.Reader
	turn  int
	said  string // by the last lines
}

func newOperator(t *testing.T) *operator {
	t.Helper()
	o := &operator{t: t, dir: postgrestest.Dir(t), met: map[string]bool{}, db: map[string]string{}}
	for _, dir := range []string{"home/running", "bin", "etc", "usr/local/bin", "var/lib", "var/backups", "srv", "run"} {
		o.must(os.MkdirAll(filepath.Join(o.dir, dir), 0o755)) // Postgres is another user
	}
	for _, dir := range theirFolders {
		o.insteadOf(dir, o.dir+dir)
	}
	for _, address := range theirAddresses {
		o.insteadOf(address, fmt.Sprintf("127.0.0.1:%d", freePort(t)))
	}
	o.program("frontdesk", fmt.Sprintf(thatStays, o.at("usr/local/bin/frontdesk")))
	o.program("systemctl", systemctl)
	if os.Geteuid() != 0 {
		o.program("runuser", "shift 3\n"+`exec "$@"`) // runuser -u postgres -- PROGRAM
		o.program("chown", "")
	}
	return o
}

// thatStays is frontdesk, with long-running commands left running in another terminal,
// without the operator's exports in the first one. An earlier run of the same command there
// ends before.
const thatStays = `case " $* " in
*" --check "* | *" --help "*) ;;
" serve "* | " sign "* | " relay "* | " witness "*)
	if [ -e ~/"running/$1" ]; then kill -KILL $(cat ~/"running/$1"); fi
	env --unset FRONTDESK_DATABASE_URL --unset FRONTDESK_MASTER_KEY_FILE %[1]q "$@" >> ~/"$1.log" 2>&1 &
	echo $! > ~/"running/$1"
	exit ;;
esac
exec %[1]q "$@"`

// systemctl is that of a machine that manages only Postgres. Debian's unit postgresql is
// another one: it has ended before the cluster has. A process that it starts must not keep
// the shell's output open.
const systemctl = `[ "$2" = postgresql@15-main ]
exec runuser -u postgres -- pg_ctl "$1" --wait --mode fast --pgdata "$PGDATA" --log "$PGDATA/log" > /dev/null`

// program is one that the operator finds before the machine's own.
func (o *operator) program(name, script string) {
	o.t.Helper()
	o.must(os.WriteFile(filepath.Join(o.dir, "bin", name), []byte("#!/bin/bash\nset -e\n"+script+"\n"), 0o755)) // it is run
}

// insteadOf has the test's own in place of a word of the pages. A later one goes before an
// earlier one.
func (o *operator) insteadOf(word, own string) { o.words = append([]string{word, own}, o.words...) }

// meant is a text of the page with the test's own words.
func (o *operator) meant(text string) string {
	for n := 0; n < len(o.words); n += 2 {
		if strings.Contains(text, o.words[n]) {
			o.met[o.words[n]] = true
		}
	}
	return strings.NewReplacer(o.words...).Replace(text)
}

// sitDown starts the shell. Of the test's own environment it gets only the path of programs.
func (o *operator) sitDown() {
	o.t.Helper()
	ctx, cancel := context.WithTimeout(context.WithoutCancel(o.t.Context()), operatorLimit)
	o.shell = exec.CommandContext(ctx, "bash", "-euo", "pipefail")
	o.shell.Dir = filepath.Join(o.dir, "home")
	o.shell.Env = []string{
		"PATH=" + strings.Join([]string{filepath.Join(o.dir, "bin"), o.at("usr/local/bin"), programs(o.t), os.Getenv("PATH")}, ":"),
		"HOME=" + o.shell.Dir, "LC_ALL=C.UTF-8", "GOCACHE=" + os.Getenv("GOCACHE"),
		"PGHOST=" + filepath.Join(o.dir, "run"), "PGPORT=" + o.db["db"], "PGDATA=" + o.settings("db"),
		"FRONTDESK_PRIVATE_LISTEN=" + o.meant("127.0.0.1:9090"),
	}
	in, err := o.shell.StdinPipe()
	o.must(err)
	out, err := o.shell.StdoutPipe()
	o.must(err)
	o.shell.Stderr = o.shell.Stdout
	o.must(o.shell.Start())
	o.in, o.out = in, bufio.NewReader(out)
	o.t.Cleanup(func() {
		defer cancel()
		_ = o.in.Close()
		_, _ = io.Copy(io.Discard, out)
		_ = o.shell.Wait()
		o.standUp()
	})
}

// standUp ends the processes that were left running.
func (o *operator) standUp() {
	running, err := filepath.Glob(o.at("home/running/*"))
	o.must(err)
	for _, file := range running {
		text, err := os.ReadFile(file)
		o.must(err)
		pid, err := strconv.Atoi(strings.TrimSpace(string(text)))
		o.must(err)
		_ = syscall.Kill(pid, syscall.SIGKILL) // it may have ended on its own
	}
	if !o.t.Failed() {
		return
	}
	logs, _ := filepath.Glob(filepath.Join(o.dir, "home", "*.log"))
	for _, log := range logs {
		text, _ := os.ReadFile(log)
		o.t.Logf("%s:\n%s", log, text[max(0, len(text)-4000):])
	}
}

// types types lines, which must succeed, and returns their output.
func (o *operator) types(lines string) string {
	o.t.Helper()
	o.turn++
	began := clock.Start()
	file, end := filepath.Join(o.dir, fmt.Sprintf("typed-%d", o.turn)), fmt.Sprintf("-- typed %d --\n", o.turn)
	o.must(os.WriteFile(file, []byte(lines), 0o600))
	_, err := fmt.Fprintf(o.in, "source %q < /dev/null; printf '%%s\\n' %q\n", file, strings.TrimSpace(end))
	o.must(err)
	said := ""
	for !strings.HasSuffix(said, end) {
		line, err := o.out.ReadString('\n')
		said += line
		if err != nil {
			o.t.Fatalf("typed:\n%s\nprinted:\n%s%v", lines, said, err)
		}
	}
	o.said = strings.TrimSuffix(said, end)
	o.t.Logf("%.1f s:\n%s→\n%s", began.Elapsed().Seconds(), lines, o.said)
	return o.said
}

// wants checks that the last lines printed these lines, in this order, among others. Three
// dots match anything.
func (o *operator) wants(lines string) {
	o.t.Helper()
	if !prints(o.said, lines) {
		o.t.Errorf("it is said to print\n%s\nand prints\n%s", lines, o.said)
	}
}

// follows types the lines of a block.
func (o *operator) follows(b docs.Block) {
	o.t.Helper()
	text := o.meant(b.Text)
	switch file, isFile := strings.CutPrefix(text, "# /"); {
	case b.Language == "sh":
		o.types(text)
	case b.Language == "text":
		o.wants(text)
	case isFile:
		name, _, _ := strings.Cut(file, "\n")
		o.types(fmt.Sprintf("mkdir -p %q\ncat > %q <<'FILE'\n%sFILE\n", filepath.Dir("/"+name), "/"+name, text)) // as readable as in that shell
	}
}

// at is where a path of the machine is.
func (o *operator) at(path string) string { return filepath.Join(o.dir, filepath.FromSlash(path)) }

func (o *operator) read(name string) string {
	text, err := os.ReadFile(o.at(name))
	if err != nil {
		return ""
	}
	return string(text)
}

func (o *operator) must(err error) {
	o.t.Helper()
	if err != nil {
		o.t.Fatal(err)
	}
}
