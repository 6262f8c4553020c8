//go:build walk

package docs_test

import (
	"encoding/json"
	"go/ast"
	"go/parser"
	syntax "go/token"
	"maps"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// The blocks of contribute/ are put into the files that it names for them, in an overlay
// of this tree. Then the changed packages are built, and the test of the first recipe is run.
func TestWalkRecipesBuild(t *testing.T) {
	t.Parallel()
	files := recipes(t)
	overlay, list := map[string]map[string]string{"Replace": {}}, filepath.Join(t.TempDir(), "overlay.json")
	packages := map[string]bool{}
	for name, text := range files {
		file := filepath.Join(t.TempDir(), "recipe.go")
		write(t, file, []byte(text))
		at, err := filepath.Abs("../" + name)
		if err != nil {
			t.Fatal(err)
		}
		overlay["Replace"][at] = file
		packages["./"+path.Dir(name)] = true
	}
	text, err := json.Marshal(overlay)
	if err != nil {
		t.Fatal(err)
	}
	write(t, list, text)
	for _, args := range [][]string{
		append([]string{"build", "-overlay", list}, slices.Sorted(maps.Keys(packages))...),
		{"test", "-overlay", list, "-v", "-run", "^TestAPracticeIsRenamed$", "./domain/practice"},
	} {
		run := exec.CommandContext(t.Context(), "go", args...)
		run.Dir = ".."
		said, err := run.CombinedOutput()
		if err != nil || args[0] == "test" && !strings.Contains(string(said), "--- PASS: TestAPracticeIsRenamed") {
			t.Errorf("go %s: %v\n%s", args[0], err, said)
		}
	}
}

func write(t *testing.T, name string, text []byte) {
	t.Helper()
	if err := os.WriteFile(name, text, 0o600); err != nil {
		t.Fatal(err)
	}
}

var (
	goFile  = regexp.MustCompile("(?m)^(?:\\d+\\.|The tests:)[^`]*`([a-z/_0-9]+\\.go)`")
	goBlock = regexp.MustCompile("(?sm)^ *```go\n(.*?)^ *```$") //nolint:gocritic // ^ is the beginning of a line
)

// recipes returns the files that the recipes change, as they are then.
func recipes(t *testing.T) map[string]string {
	t.Helper()
	text := ""
	for _, recipe := range []string{"command", "endpoint", "webhook"} {
		pages, err := filepath.Glob("contribute/add-a*-" + recipe + ".md")
		if err != nil || len(pages) != 1 {
			t.Fatalf("the recipe of a %s is in %q: %v", recipe, pages, err)
		}
		page, err := os.ReadFile(pages[0])
		if err != nil {
			t.Fatal(err)
		}
		text += string(page)
	}
	blocks := goBlock.FindAllStringSubmatchIndex(text, -1)
	if len(blocks) < 20 {
		t.Fatalf("there are %d blocks", len(blocks))
	}
	files := map[string]string{}
	for _, block := range blocks {
		named := goFile.FindAllStringSubmatch(text[:block[0]], -1)
		name := named[len(named)-1][1]
		if files[name] == "" {
			now, err := os.ReadFile("../" + name)
			if err != nil {
				t.Fatal(err)
			}
			files[name] = string(now)
		}
		files[name] = put(t, files[name], text[block[2]:block[3]])
	}
	for name := range files {
		files[name] = imported(t, name, files[name])
	}
	return files
}

var into = regexp.MustCompile(`^\s*// in (\w+):\n`)

// put returns a file with a block: in the declaration that the block names, in the place of
// the declarations of the same names, or at the end.
func put(t *testing.T, file, block string) string {
	t.Helper()
	if named := into.FindStringSubmatch(block); named != nil {
		for _, d := range declarations(t, file) {
			if d.name == named[1] || strings.HasSuffix(d.name, "."+named[1]) {
				at := d.from + len(opening.FindString(file[d.from:d.to]))
				return file[:at] + strings.TrimPrefix(block, named[0]) + file[at:]
			}
		}
		t.Errorf("nothing is called %s, to put there:\n%s", named[1], block)
	}
	block = "package p\n" + block
	for _, d := range declarations(t, block) {
		text := block[d.from:d.to]
		there := declarations(t, file)
		if i := slices.IndexFunc(there, func(one declaration) bool { return one.name == d.name }); i >= 0 {
			file = file[:there[i].from] + text + file[there[i].to:]
		} else {
			file += "\n" + text + "\n"
		}
	}
	return file
}

// opening is a declaration up to where its list or its cases begin, also if those are in the
// first statement of a function.
var opening = regexp.MustCompile(`^.*{\n(?:\t(?:return |switch |\w+, \w+ := ).*{\n)?`)

// declaration is one of a file, without its comment.
type declaration struct {
	name     string // with its receiver's type, of a method
	from, to int
}

func declarations(t *testing.T, text string) (all []declaration) {
	t.Helper()
	files := syntax.NewFileSet()
	file, err := parser.ParseFile(files, "", text, parser.SkipObjectResolution)
	if err != nil {
		t.Fatalf("%v:\n%s", err, text)
	}
	for _, d := range file.Decls {
		one := declaration{from: files.Position(d.Pos()).Offset, to: files.Position(d.End()).Offset}
		switch d := d.(type) {
		case *ast.FuncDecl:
			if one.name = d.Name.Name; d.Recv != nil {
				receiver := files.Position(d.Recv.List[0].Type.Pos()).Offset
				one.name = strings.Trim(text[receiver:files.Position(d.Recv.List[0].Type.End()).Offset], "*") + "." + one.name
			}
		case *ast.GenDecl:
			switch spec := d.Specs[0].(type) {
			case *ast.TypeSpec:
				one.name = spec.Name.Name
			case *ast.ValueSpec:
				one.name = spec.Names[0].Name
			}
		}
		all = append(all, one)
	}
	return all
}

// imported returns a file with the imports that it lacks and other files of its package have.
func imported(t *testing.T, name, text string) string {
	t.Helper()
	beside, err := filepath.Glob("../" + path.Dir(name) + "/*.go")
	if err != nil {
		t.Fatal(err)
	}
	paths := map[string]string{}
	for _, file := range beside {
		now, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		maps.Copy(paths, importsOf(t, string(now)))
	}
	file, err := parser.ParseFile(syntax.NewFileSet(), name, text, 0)
	if err != nil {
		t.Fatalf("%v:\n%s", err, text)
	}
	has, clause := importsOf(t, text), "package "+file.Name.Name+"\n"
	for _, used := range file.Unresolved {
		if paths[used.Name] != "" && has[used.Name] == "" {
			has[used.Name] = paths[used.Name]
			text = strings.Replace(text, clause, clause+"import "+strconv.Quote(paths[used.Name])+"\n", 1)
		}
	}
	return text
}

// importsOf returns the paths that a file imports, by their last parts.
func importsOf(t *testing.T, text string) map[string]string {
	t.Helper()
	file, err := parser.ParseFile(syntax.NewFileSet(), "", text, parser.ImportsOnly)
	if err != nil {
		t.Fatal(err)
	}
	paths := map[string]string{}
	for _, spec := range file.Imports {
		if is, err := strconv.Unquote(spec.Path.Value); err == nil && spec.Name == nil {
			paths[path.Base(is)] = is
		}
	}
	return paths
}
