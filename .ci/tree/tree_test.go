package tree_test

import (
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"frontdesk/.ci/tree"
)

func TestFilesIgnoresForeignFolders(t *testing.T) {
	t.Parallel()
	files := fstest.MapFS{}
	for _, name := range []string{
		".ci/words/main.go", ".git/config", ".frontdesk/page.md", "README.md", "docs/testdata/page.md",
		"client/node_modules/left/README.md", "vendor/left/left.go", "docs/.ci/hidden.md",
	} {
		files[name] = &fstest.MapFile{}
	}
	got, err := tree.Files(files)
	if err != nil {
		t.Fatal(err)
	}
	if want := []string{".ci/words/main.go", "README.md"}; !slices.Equal(got, want) {
		t.Errorf("files %q, want %q", got, want)
	}
}

func TestAtReadsTheCommit(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	page := filepath.Join(folder, "page.md")
	write := func(text string) {
		if err := os.WriteFile(page, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	git := func(args ...string) {
		identity := []string{"-C", folder, "-c", "user.name=Ada", "-c", "user.email=ada@example.org", "-c", "commit.gpgsign=false"}
		if out, err := exec.CommandContext(t.Context(), "git", append(identity, args...)...).CombinedOutput(); err != nil {
			t.Fatalf("git %q: %v\n%s", args, err, out)
		}
	}
	git("init", "--quiet")
	write("before")
	git("add", "page.md")
	git("commit", "--quiet", "--message", "Add a page")
	write("after")

	files, err := tree.At(t.Context(), folder, "HEAD")
	if err != nil {
		t.Fatal(err)
	}
	if got, err := fs.ReadFile(files, "page.md"); err != nil || string(got) != "before" {
		t.Errorf("page.md at HEAD: %q, %v", got, err)
	}
	if _, err := tree.At(t.Context(), folder, "no-such-commit"); err == nil || !strings.Contains(err.Error(), "no-such-commit") {
		t.Errorf("a commit that is not there: %v", err)
	}
}
