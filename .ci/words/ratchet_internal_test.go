package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// A project is a folder with pages and recorded counts.
type project struct {
	*testing.T
	folder string
}

func newProject(t *testing.T, recorded string) project {
	t.Helper()
	p := project{t, t.TempDir()}
	p.write("page.md", "Nobody asks.\n\nNobody answers.\n")
	p.write(ratchetFile, recorded)
	return p
}

func (p project) write(name, text string) {
	p.Helper()
	file := filepath.Join(p.folder, name)
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		p.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		p.Fatal(err)
	}
}

func (p project) git(args ...string) {
	p.Helper()
	identity := []string{"-C", p.folder, "-c", "user.name=Ada", "-c", "user.email=ada@example.org", "-c", "commit.gpgsign=false"}
	if out, err := exec.CommandContext(p.Context(), "git", append(identity, args...)...).CombinedOutput(); err != nil {
		p.Fatalf("git %q: %v\n%s", args, err, out)
	}
}

// run wants this output, and a failure exactly if there is some.
func (p project) run(want string, args ...string) {
	p.Helper()
	var out bytes.Buffer
	err := run(p.Context(), p.folder, args, &out)
	if out.String() != want || (err != nil) != (want != "") {
		p.Errorf("words %q: %v, printed\n%swant\n%s", args, err, out.String(), want)
	}
}

func (p project) recorded(want string) {
	p.Helper()
	got, err := os.ReadFile(filepath.Join(p.folder, ratchetFile))
	if err != nil || string(got) != want {
		p.Errorf("recorded %q, %v, want %q", got, err, want)
	}
}

func TestEqualCountsPass(t *testing.T) {
	t.Parallel()
	p := newProject(t, "page.md\t2\n")
	p.write("new.md", "A new page has none.\n")
	p.run("")
}

func TestRisenCountFails(t *testing.T) {
	t.Parallel()
	p := newProject(t, "page.md\t1\n")
	const risen = `page.md: 2 words to replace, 1 recorded
  page.md:1: "Nobody": write no one, cannot
  page.md:3: "Nobody": write no one, cannot
`
	p.run(risen)
	p.run(risen, "-update")
	p.recorded("page.md\t1\n")
}

func TestNewPageMustHaveNone(t *testing.T) {
	t.Parallel()
	p := newProject(t, "page.md\t2\n")
	p.write("new.md", "Mend it.\n")
	const fresh = "new.md: 1 words to replace, 0 recorded\n  new.md:1: \"Mend\": write fix\n"
	p.run(fresh)
	p.run(fresh, "-update")
	p.recorded("page.md\t2\n")
}

func TestFallenCountMustBeRecorded(t *testing.T) {
	t.Parallel()
	p := newProject(t, "gone.md\t1\npage.md\t3\n")
	p.run("gone.md: 0 words to replace, 1 recorded: `make words` records it\n" +
		"page.md: 2 words to replace, 3 recorded: `make words` records it\n")
	p.run("", "-update")
	p.recorded("page.md\t2\n")
	p.run("")
}

func TestForceRecordsAllCounts(t *testing.T) {
	t.Parallel()
	for _, recorded := range []string{"page.md\t1\n", "gone.md\t1\n", "<<<<<<< HEAD\npage.md\t1\n"} {
		p := newProject(t, recorded)
		p.run("", "-force")
		p.recorded("page.md\t2\n")
	}
}

func TestConflictInRatchetIsNamed(t *testing.T) {
	t.Parallel()
	p := newProject(t, "<<<<<<< HEAD\npage.md\t1\n")
	err := run(t.Context(), p.folder, nil, new(bytes.Buffer))
	if err == nil || !strings.Contains(err.Error(), `the line "<<<<<<< HEAD\n"`) {
		t.Errorf("a conflict: %v", err)
	}
}

func TestReportNamesNewHitsOnly(t *testing.T) {
	t.Parallel()
	p := newProject(t, "page.md\t2\n")
	p.git("init", "--quiet")
	p.git("add", ".")
	p.git("commit", "--quiet", "--message", "Record the counts")
	p.write("page.md", "A title.\n\nNobody asks.\n\nNobody reads.\n\nNobody answers.\n\nNobody asks.\n")
	p.run(`page.md: 4 words to replace, 2 recorded
  page.md:5: "Nobody": write no one, cannot
  page.md:9: "Nobody": write no one, cannot
`)
}

func TestReportNamesAllHitsOfACommittedRise(t *testing.T) {
	t.Parallel()
	p := newProject(t, "page.md\t1\n")
	p.git("init", "--quiet")
	p.git("add", ".")
	p.git("commit", "--quiet", "--message", "Record too few")
	p.run(`page.md: 2 words to replace, 1 recorded
  page.md:1: "Nobody": write no one, cannot
  page.md:3: "Nobody": write no one, cannot
`)
}

func TestListOfAFolder(t *testing.T) {
	t.Parallel()
	p := newProject(t, "")
	p.write("docs/page.md", "Mend it.\n")
	for name, want := range map[string]string{
		"docs/":   "docs/page.md:1: \"Mend\": write fix\n",
		"page.md": "page.md:1: \"Nobody\": write no one, cannot\npage.md:3: \"Nobody\": write no one, cannot\n",
	} {
		var out bytes.Buffer
		if err := run(t.Context(), p.folder, []string{name}, &out); err != nil || out.String() != want {
			t.Errorf("words %s: %v, printed\n%swant\n%s", name, err, out.String(), want)
		}
	}
}
