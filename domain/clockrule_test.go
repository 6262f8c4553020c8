package domain_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// mostReaders is how many files may read the machine's clock. All others take a time,
// or a function that returns it, so that tests choose the time.
const mostReaders = 15

// clockRules are the rules that forbid the clock, by the message in the linter's
// settings. The settings name the files that are excepted.
var clockRules = map[string]struct {
	imported string
	names    []string
}{
	"time is an argument":             {"time", []string{"Now", "Since", "Until"}},
	"the system's clock is passed in": {"frontdesk/adapters/clock", []string{"System"}},
}

// exception is a rule of the linter's settings that excepts files from a message.
var exception = regexp.MustCompile(`- path: (\S+)\n +linters: \[forbidigo\]\n +text: (.+)\n`)

func TestFewFilesReadTheClock(t *testing.T) {
	t.Parallel()
	settings, err := os.ReadFile("../.golangci.yml")
	if err != nil {
		t.Fatal(err)
	}
	excepted := map[string]*regexp.Regexp{}
	for _, found := range exception.FindAllStringSubmatch(string(settings), -1) {
		if excepted[found[2]], err = regexp.Compile(found[1]); err != nil {
			t.Fatal(err)
		}
	}
	used := map[string][]string{}
	for name, file := range parsed(t, os.DirFS("..")) {
		for message, rule := range clockRules {
			if len(selections(file, rule.imported, rule.names)) > 0 {
				used[message] = append(used[message], name)
			}
		}
	}
	for message := range clockRules {
		if excepted[message] == nil || len(used[message]) == 0 {
			t.Fatalf("%q: excepted are %v, used by %v; are the linter's settings as this test reads them?", message, excepted[message], used[message])
		}
		for _, name := range used[message] {
			if !excepted[message].MatchString(name) {
				t.Errorf("%s: %s (.golangci.yml lists who may)", name, message)
			}
		}
	}
	if readers := used["time is an argument"]; len(readers) > mostReaders {
		t.Errorf("%d files read the machine's clock, and %d may: %v", len(readers), mostReaders, readers)
	}
}

// parsed returns every Go file of the tree that may name a clock, of all modules,
// folders and build tags.
func parsed(t *testing.T, tree fs.FS) map[string]*ast.File {
	t.Helper()
	files := map[string]*ast.File{}
	names := regexp.MustCompile(`\.(Now|Since|Until|System)\b`)
	err := fs.WalkDir(tree, ".", func(name string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && (slices.Contains([]string{".git", ".frontdesk", "node_modules"}, entry.Name())):
			return fs.SkipDir
		case path.Ext(name) != ".go":
			return nil
		}
		source, err := fs.ReadFile(tree, name)
		if err != nil || !names.Match(source) {
			return err
		}
		files[name], err = parser.ParseFile(token.NewFileSet(), name, source, parser.SkipObjectResolution)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// selections are the uses of some names of an imported package in a file.
func selections(file *ast.File, imported string, names []string) (found []*ast.SelectorExpr) {
	is := path.Base(imported)
	for _, spec := range file.Imports {
		if strings.Trim(spec.Path.Value, `"`) == imported && spec.Name != nil {
			is = spec.Name.Name
		}
	}
	ast.Inspect(file, func(n ast.Node) bool {
		if s, ok := n.(*ast.SelectorExpr); ok {
			if x, ok := s.X.(*ast.Ident); ok && x.Name == is && slices.Contains(names, s.Sel.Name) {
				found = append(found, s)
			}
		}
		return true
	})
	return found
}

func TestSelections(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]int{
		`import "time"; var at = time.Now()`:                    1,
		`import "time"; var now = time.Now`:                     1,
		`import watch "time"; var d = watch.Since(watch.Now())`: 2,
		`import "time"; var at = time.Unix(0, 0)`:               0,
		`import "elsewhere/clock"; var at = clock.Now()`:        0,
	} {
		file, err := parser.ParseFile(token.NewFileSet(), "a.go", "package a; "+body, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		if got := selections(file, "time", []string{"Now", "Since"}); len(got) != want {
			t.Errorf("%s: %d selections, want %d", body, len(got), want)
		}
	}
}
