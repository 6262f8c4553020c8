package embedded

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// ErrNoPostgres means that this machine has no usable Postgres binaries.
var ErrNoPostgres = errors.New("no Postgres found: install postgresql (Debian: apt-get install postgresql), or put its bin directory on PATH")

// oldest is the oldest major version that the schema is tested with.
const oldest = 15

// installation is a directory with one version's programs.
type installation struct {
	bin   string
	major int
}

func (i installation) program(name string) string { return filepath.Join(i.bin, name) }

// usual are the directories in which packages install Postgres outside PATH: Debian,
// Red Hat, Homebrew, Postgres.app, MacPorts, from source.
var usual = []string{
	"/usr/lib/postgresql/*/bin",
	"/usr/pgsql-*/bin",
	"/opt/homebrew/opt/postgresql*/bin",
	"/usr/local/opt/postgresql*/bin",
	"/home/linuxbrew/.linuxbrew/opt/postgresql*/bin",
	"/Applications/Postgres.app/Contents/Versions/*/bin",
	"/opt/local/lib/postgresql*/bin",
	"/usr/local/pgsql/bin",
}

// installations lists the machine's installations: first those on the search path, then
// the usual places, newest version first.
func installations(ctx context.Context, path string, places []string) []installation {
	var others []string
	for _, place := range places {
		found, _ := filepath.Glob(place) // the only error is a bad pattern
		others = append(others, found...)
	}
	rest := probe(ctx, others)
	slices.SortStableFunc(rest, func(a, b installation) int { return cmp.Compare(b.major, a.major) })
	return append(probe(ctx, onPath(ctx, path)), rest...)
}

// onPath lists the directories that initdb and pg_config on the search path
// belong to. A link or a wrapper named postgres there proves nothing.
func onPath(ctx context.Context, path string) (bins []string) {
	for _, dir := range filepath.SplitList(path) {
		if initdb, err := filepath.EvalSymlinks(filepath.Join(dir, "initdb")); err == nil {
			bins = append(bins, filepath.Dir(initdb))
		}
		if bin, err := exec.CommandContext(ctx, filepath.Join(dir, "pg_config"), "--bindir").Output(); err == nil {
			bins = append(bins, strings.TrimSpace(string(bin)))
		}
	}
	return bins
}

// probe keeps the directories that hold all programs of one version.
func probe(ctx context.Context, bins []string) (found []installation) {
	for _, bin := range bins {
		if i, err := versionOf(ctx, bin); err == nil {
			found = append(found, i)
		}
	}
	return found
}

var version = regexp.MustCompile(`\(PostgreSQL\) (\d+)`)

func versionOf(ctx context.Context, bin string) (installation, error) {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	for _, name := range []string{"initdb", "pg_ctl"} {
		if _, err := exec.LookPath(filepath.Join(bin, name)); err != nil {
			return installation{}, err
		}
	}
	out, err := exec.CommandContext(ctx, filepath.Join(bin, "postgres"), "--version").Output()
	if err != nil {
		return installation{}, err
	}
	match := version.FindSubmatch(out)
	if match == nil {
		return installation{}, errors.New("not PostgreSQL")
	}
	major, err := strconv.Atoi(string(match[1]))
	return installation{bin: bin, major: major}, err
}

// choose returns the first installation that can run the data: one of the wanted major
// version or, without data (0), any that is new enough.
func choose(found []installation, wanted int) (installation, error) {
	for _, i := range found {
		if i.major == wanted || wanted == 0 && i.major >= oldest {
			return i, nil
		}
	}
	switch {
	case len(found) == 0:
		return installation{}, ErrNoPostgres
	case wanted != 0:
		return installation{}, fmt.Errorf("the data was written by Postgres %d, this machine has %d: install postgresql-%[1]d, or start afresh without the data", wanted, found[0].major)
	}
	return installation{}, fmt.Errorf("the Postgres in %s is version %d: install version %d or newer", found[0].bin, found[0].major, oldest)
}
