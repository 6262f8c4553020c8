package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"frontdesk/.ci/proofs"
)

// commits commits all files of a folder, and returns the commit.
func commits(t *testing.T, root string) string {
	t.Helper()
	for _, args := range [][]string{
		{"init", "-q"}, {"add", "."}, {"-c", "user.name=A", "-c", "user.email=a@example.org", "commit", "-q", "--allow-empty", "-m", "change"},
	} {
		if said, err := exec.CommandContext(t.Context(), "git", append([]string{"-C", root}, args...)...).CombinedOutput(); err != nil {
			t.Fatalf("git %s: %v: %s", args[0], err, said)
		}
	}
	at, err := proofs.Commit(t.Context(), root)
	if err != nil {
		t.Fatal(err)
	}
	return at
}

func put(t *testing.T, root, name, text string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(root, name), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestReleaseWantsEveryProof(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	if err := os.MkdirAll(filepath.Join(root, "docs/contribute"), 0o755); err != nil {
		t.Fatal(err)
	}
	put(t, root, ".gitignore", ".frontdesk\n")
	put(t, root, "a_test.go", "package a\n\nfunc TestProveA(t *testing.T) {}\n")
	at := commits(t, root)
	good := proofs.Row{
		Proof: proofs.Proof{Name: "TestProveA", Folder: "."}, Commit: at, At: time.Date(2026, 3, 2, 12, 0, 0, 0, time.UTC),
		Tried: "3 kills", Result: proofs.Passed,
	}
	row := func(edit func(*proofs.Row)) proofs.Row {
		changed := good
		edit(&changed)
		return changed
	}
	for name, c := range map[string]struct {
		rows []proofs.Row
		want string
	}{
		"all have passed":           {[]proofs.Row{good}, ""},
		"no row":                    {nil, "it never ran"},
		"a proof failed":            {[]proofs.Row{row(func(r *proofs.Row) { r.Result = "failed: one is lost" })}, "failed: one is lost"},
		"a proof tried nothing":     {[]proofs.Row{row(func(r *proofs.Row) { r.Tried = "" })}, "it tried nothing"},
		"with uncommitted files":    {[]proofs.Row{row(func(r *proofs.Row) { r.Commit += proofs.Dirty })}, "with other files"},
		"at a commit not known":     {[]proofs.Row{row(func(r *proofs.Row) { r.Commit = "0123456789" })}, "with other files"},
		"at something not a commit": {[]proofs.Row{row(func(r *proofs.Row) { r.Commit = "HEAD:docs" })}, "with other files"},
	} {
		if err := proofs.Write(root, c.rows); err != nil {
			t.Fatal(err)
		}
		err := proved(t.Context(), root)
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
	if err := proofs.Write(root, []proofs.Row{good}); err != nil {
		t.Fatal(err)
	}
	if commits(t, root); proved(t.Context(), root) != nil {
		t.Errorf("after a commit of the table alone: %v", proved(t.Context(), root))
	}
	put(t, root, "README.md", "changed\n")
	if commits(t, root); proved(t.Context(), root) == nil {
		t.Error("a table of another commit is accepted")
	}
}

func TestReleaseWantsTagOfVersion(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	refuses := func(want string) {
		t.Helper()
		if err := tagged(t.Context(), root); (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
	tag := func(name string) {
		t.Helper()
		if said, err := exec.CommandContext(t.Context(), "git", "-C", root, "tag", name).CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, said)
		}
	}
	put(t, root, "VERSION", "1.2.0\n")
	put(t, root, "CHANGELOG.md", "# Changelog\n\n## [Unreleased]\n")
	commits(t, root)
	refuses("the tag v1.2.0")
	tag("v1.1.0")
	refuses("the tag v1.2.0")
	tag("v1.2.0")
	refuses("no section [1.2.0]")
	put(t, root, "CHANGELOG.md", "# Changelog\n\n## [1.2.0] - 2026-12-01\n")
	refuses("")
	commits(t, root)
	refuses("the tag v1.2.0")
}
