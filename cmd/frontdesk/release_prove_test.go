//go:build prove

package main_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"frontdesk/adapters/provetest"
)

// TestProveTheReleaseIsTheSameTwice_D112 builds the archive in two folders. Its program runs, and
// every link of its pages leads to a file of it.
func TestProveTheReleaseIsTheSameTwice_D112(t *testing.T) {
	t.Parallel()
	var archives [][]byte
	dir := t.TempDir()
	for _, name := range []string{"one", "another"} {
		if err := os.Mkdir(filepath.Join(dir, name), 0o755); err != nil {
			t.Fatal(err)
		}
		prepared(t, filepath.Join(dir, name))
		out := filepath.Join(dir, name, "release")
		released(t, filepath.Join(dir, name, "frontdesk"), out)
		check := exec.CommandContext(t.Context(), "bash", "-euc", `sha256sum --check SHA256SUMS >&2; tar --extract --strip-components 1 --file *.tar.gz; cat *.tar.gz`)
		check.Dir = out
		archive, err := check.Output()
		if err != nil {
			t.Fatalf("unpack the archive: %v", err)
		}
		archives = append(archives, archive)
	}
	if !bytes.Equal(archives[0], archives[1]) {
		t.Error("the same commit makes two archives")
	}
	unpacked := filepath.Join(dir, "one", "release")
	said, err := exec.CommandContext(t.Context(), filepath.Join(unpacked, "frontdesk"), "version").Output()
	if named, _ := filepath.Glob(filepath.Join(unpacked, "frontdesk-*-linux-*.tar.gz")); err != nil || len(named) != 1 ||
		!strings.Contains(named[0], strings.Fields(string(said))[1]) {
		t.Errorf("%v reports %s, %v", named, said, err)
	}
	leadsWithin(t, unpacked)
	provetest.Tried(t, len(archives), "archives")
}

var linkOfAPage = regexp.MustCompile(`\]\(([^)#\s]+)[^)\s]*\)`)

// leadsWithin looks for links of pages that lead out of the archive, or to no page.
func leadsWithin(t *testing.T, archive string) {
	t.Helper()
	links := 0
	err := filepath.WalkDir(archive, func(path string, _ os.DirEntry, err error) error {
		if err != nil || filepath.Ext(path) != ".md" {
			return err
		}
		text, err := os.ReadFile(path)
		for _, link := range linkOfAPage.FindAllStringSubmatch(string(text), -1) {
			to := filepath.Join(filepath.Dir(path), link[1])
			if strings.Contains(link[1], ":") {
				continue
			}
			links++
			if _, missing := os.Stat(to); missing != nil || !strings.HasPrefix(to, archive) {
				t.Errorf("%s links to %s: %v", path, link[1], missing)
			}
		}
		return err
	})
	if err != nil || links < 100 {
		t.Errorf("%d links, %v", links, err)
	}
}

// released makes the archive of a folder in another one, as of a commit that has all of it.
func released(t *testing.T, folder, out string) {
	t.Helper()
	script := `[ -e .git ] || {
	export GIT_AUTHOR_NAME=frontdesk GIT_AUTHOR_EMAIL=frontdesk@example.org GIT_AUTHOR_DATE=2026-03-02T12:00:00Z
	export GIT_COMMITTER_NAME=$GIT_AUTHOR_NAME GIT_COMMITTER_EMAIL=$GIT_AUTHOR_EMAIL GIT_COMMITTER_DATE=$GIT_AUTHOR_DATE
	git init --quiet && git add --all && git commit --quiet --message 'What is released'
}
make release ARGS="-out $1 -unproved"`
	release := exec.CommandContext(t.Context(), "bash", "-euc", script, "-", out)
	release.Dir, release.Env = folder, append(os.Environ(), "GOFLAGS=")
	if said, err := release.CombinedOutput(); err != nil {
		t.Fatalf("make release: %v: %s", err, said)
	}
}
