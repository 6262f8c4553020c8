// Package domain_test holds the import rule of the whole tree, as a test:
//
//	domain ← commands ← projections ← adapters ← cmd
//
// Below cmd/frontdesk:
//
//	audit ← app ← devkit ← cli
//
// Every Go file is parsed, whatever its build tags. A failure names the file, the line
// and the forbidden import or call.
package domain_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// A layer is a top-level folder and the roots of the imports that its files may have in
// addition to the standard library.
type layer struct {
	may       []string
	libraries bool     // any other library
	tests     []string // additional imports of its tests and test helpers
	pure      bool     // nothing outside the process, no clock, no goroutine, no logging
}

const (
	uuid  = "github.com/google/uuid"
	json  = "github.com/go-json-experiment/json" // the future encoding/json/v2; events are stored as JSON
	goCmp = "github.com/google/go-cmp"
	pgx   = "github.com/jackc/pgx/v5"
	norm  = "golang.org/x/text/unicode/norm" // removes accents from names, to compare them
	sumdb = "golang.org/x/mod/sumdb"         // hashes trees and signs notes: rules, no I/O

	theClient = "frontdesk.example/client" // the integrators' client of the service

	theProgram     = "cmd/frontdesk"
	theCommandLine = theProgram + "/cli" // imports its groups of commands, and those import its package term
)

// programLayers is the order of folders below cmd/frontdesk. Each may import the named folders
// of the program, and no others.
var programLayers = map[string][]string{
	"audit":  {"audit"},
	"apply":  {"apply"},
	"app":    {"app", "apply", "audit"},
	"devkit": {"devkit", "app"},
}

// stack is the order of the packages of adapters/postgres that store something. Each may
// import those that stand before it, and no other package of adapters/postgres. The last
// two do not know each other.
var stack = []string{
	"adapters/postgres",
	"adapters/postgres/keyring",
	"adapters/postgres/eventstore",
	"adapters/postgres/accesslog",
	"adapters/postgres/uploads",
}

// staffPages is the folder of the staff pages. Each of its packages may import the others
// that are named here, and a section that is not named signin and pagekit.
const staffPages = "adapters/staffweb"

var pageImports = map[string][]string{
	"signin":   {},
	"pagekit":  {"signin"},
	"board":    {"pagekit", "live"},              // it is a live page
	"displays": {"pagekit", "signin", "board"},   // a screen that has opened its link shows its board
	"people":   {"pagekit", "signin", "account"}, // managers hand out links to accounts
}

// layers is the rule. A folder that is not here may hold no Go files. In addition, an
// adapter may import itself, and every test go-cmp: it only compares.
var layers = map[string]layer{
	"domain":   {may: []string{uuid, json, sumdb, "frontdesk/domain"}, pure: true},
	"commands": {may: []string{uuid, "frontdesk/domain", "frontdesk/commands"}},
	"projections": {
		may:   []string{uuid, pgx, norm, "frontdesk/domain", "frontdesk/commands", "frontdesk/projections"},
		tests: []string{"frontdesk/adapters/provetest", "frontdesk/adapters/postgres", "frontdesk/adapters/sealing", "frontdesk/adapters/clock"}, // only a real database shows that SQL is right
	},
	"adapters": {
		may: []string{
			"frontdesk/domain", "frontdesk/commands", "frontdesk/projections", "frontdesk/migrations", "frontdesk/docs/operate", "frontdesk/docs/practice",
			"frontdesk/adapters/clock",      // the one reader of the machine's clock
			"frontdesk/adapters/background", // the one way to sleep and wake each other
			"frontdesk/adapters/durable",    // the one way to write files that survive a power failure, and to lock files
			"frontdesk/adapters/outbound",   // the one shared client for addresses of third parties
			"frontdesk/adapters/admission",  // the one way to share capacity fairly among callers
			"frontdesk/adapters/httpx",      // the one deadline for slow readers, and the one address of a client
			"frontdesk/adapters/sealing",    // the one way to encrypt
			"frontdesk/adapters/ledger",     // the one record of erasures outside of the database; a backup holds a copy
			"frontdesk/adapters/jsonerr",    // the one explanation why a text is not JSON
			"frontdesk/adapters/tracing",    // the one way to trace
			"frontdesk/feed",                // the one form in which events leave the database for a broker
		},
		libraries: true,
		tests:     []string{"frontdesk/adapters"}, // tests may use real neighbours: the build needs none
	},
	"feed": {
		may: []string{"frontdesk/domain", "frontdesk/feed"}, libraries: true, // followers elsewhere are built on it
		tests: []string{"frontdesk/adapters", "frontdesk/commands"}, // only a real broker and a real log test the reading
	},
	"migrations": {},
	"version.go": {}, // embeds VERSION
	"cmd":        {may: []string{"frontdesk"}, libraries: true},
	"bench":      {may: []string{"frontdesk"}, libraries: true}, // modules of their own, which no package imports
	"client":     {may: []string{theClient}},                    // a module of its own, without our libraries
	"features":   {may: []string{"frontdesk"}, libraries: true}, // starts the whole program and drives it
	"docs":       {may: []string{"frontdesk"}, libraries: true}, // tests the printed examples
}

func TestImportsPointInwards(t *testing.T) {
	t.Parallel()
	read := map[string]int{}
	tree := os.DirFS("..")
	err := fs.WalkDir(tree, ".", func(name string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && name != "." && (strings.HasPrefix(entry.Name(), ".") || entry.Name() == "testdata"):
			return fs.SkipDir
		case path.Ext(name) != ".go":
			return nil
		}
		source, err := fs.ReadFile(tree, name)
		if err != nil {
			return err
		}
		for _, breach := range breaches(name, source) {
			t.Error(breach)
		}
		read[top(name)]++
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if read["domain"] < 2 || read["commands"] == 0 {
		t.Errorf("files read: %v; is this test still in its place?", read)
	}
}

func TestTheImportRuleRefuses(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, body, want string }{
		{"domain/request/a.go", `import "frontdesk/commands"`, "domain may not import frontdesk/commands"},
		{"domain/request/a.go", `import "github.com/jackc/pgx/v5"`, "domain may not import github.com/jackc/pgx/v5"},
		{"domain/request/a.go", `import "log/slog"`, "domain may not import log/slog"},
		{"domain/request/a.go", `import "net/http"`, "domain may not import net/http"},
		{"domain/request/a.go", `import "net/url"`, ""},
		{"domain/request/a_test.go", `import "os"`, ""},
		{"domain/request/a_test.go", `import "frontdesk/adapters/postgres"`, "domain may not import frontdesk/adapters/postgres"},
		{"domain/request/a.go", `import clock "time"; var at = clock.Now()`, "domain may not use time.Now: time is an argument"},
		{"domain/request/a.go", `import "time"; var d = time.Hour`, ""},
		{"domain/request/a.go", `func f() { go f() }`, "domain may not start a goroutine"},
		{"domain/event/eventtest/a.go", `import "testing"; func f() { go f() }`, ""},
		{"commands/a.go", `import "frontdesk/projections"`, "commands may not import frontdesk/projections"},
		{"commands/a.go", `import "github.com/google/uuid/x"`, ""},
		{"projections/a.go", `import "github.com/jackc/pgx/v5/pgtype"`, ""},
		{"projections/a.go", `import "github.com/jackc/pgx/v55"`, "projections may not import github.com/jackc/pgx/v55"},
		{"projections/a.go", `import "frontdesk/adapters/postgres"`, "projections may not import frontdesk/adapters/postgres"},
		{"projections/a_test.go", `import "frontdesk/adapters/postgres/postgrestest"`, ""},
		{"adapters/httpapi/a.go", `import "frontdesk/adapters/bearer"`, "adapters may not import frontdesk/adapters/bearer"},
		{"adapters/bearer/a.go", `import "frontdesk/adapters/outbound"`, ""},
		{"adapters/httpapi/a_test.go", `import "frontdesk/adapters/bearer/bearertest"`, ""},
		{"adapters/httpapi/a.go", `import "frontdesk/adapters/postgres/postgrestest"`, "adapters may not import frontdesk/adapters/postgres/postgrestest"},
		{"adapters/postgres/embedded/a.go", `import "frontdesk/adapters/postgres"`, ""},
		{"adapters/postgres/a.go", `import "frontdesk/adapters/postgres/keyring"`, "adapters may not import frontdesk/adapters/postgres/keyring"},
		{"adapters/postgres/a_test.go", `import "frontdesk/adapters/postgres/keyring"`, ""},
		{"adapters/postgres/keyring/a.go", `import "frontdesk/adapters/postgres"`, ""},
		{"adapters/postgres/keyring/a.go", `import "frontdesk/adapters/postgres/eventstore"`, "adapters may not import frontdesk/adapters/postgres/eventstore"},
		{"adapters/postgres/eventstore/a.go", `import "frontdesk/adapters/postgres/keyring"`, ""},
		{"adapters/postgres/eventstore/a.go", `import "frontdesk/adapters/postgres/proving"`, "adapters may not import frontdesk/adapters/postgres/proving"},
		{"adapters/postgres/uploads/a.go", `import "frontdesk/adapters/postgres/eventstore"`, ""},
		{"adapters/postgres/uploads/a.go", `import "frontdesk/adapters/postgres/accesslog"`, "adapters may not import frontdesk/adapters/postgres/accesslog"},
		{"adapters/postgres/replay/a.go", `import "frontdesk/adapters/postgres/eventstore"`, ""},
		{"adapters/staffweb/a.go", `import "frontdesk/adapters/staffweb/people"`, ""},
		{"adapters/staffweb/people/a.go", `import "frontdesk/adapters/staffweb/pagekit"`, ""},
		{"adapters/staffweb/people/a.go", `import "frontdesk/adapters/staffweb/account"`, ""},
		{"adapters/staffweb/account/a.go", `import "frontdesk/adapters/staffweb/people"`, "adapters may not import frontdesk/adapters/staffweb/people"},
		{"adapters/staffweb/day/a.go", `import "frontdesk/adapters/staffweb"`, "adapters may not import frontdesk/adapters/staffweb"},
		{"adapters/staffweb/pagekit/a.go", `import "frontdesk/adapters/staffweb/day"`, "adapters may not import frontdesk/adapters/staffweb/day"},
		{"adapters/staffweb/signin/a.go", `import "frontdesk/adapters/staffweb/pagekit"`, "adapters may not import frontdesk/adapters/staffweb/pagekit"},
		{"adapters/staffweb/signin/a.go", `import "frontdesk/adapters/admission"`, ""},
		{"adapters/httpapi/a.go", `import "frontdesk/cmd/frontdesk/app"`, "adapters may not import frontdesk/cmd/frontdesk/app"},
		{"cmd/frontdesk/app/a.go", `import "frontdesk/adapters/httpapi"`, ""},
		{"adapters/bearer/a.go", `import "frontdesk.example/client"`, "adapters may not import frontdesk.example/client"},
		{"adapters/webhooks/receiver/a.go", `import "frontdesk.example/client"`, ""},
		{"commands/a.go", `import "frontdesk.example/client"`, "commands may not import frontdesk.example/client"},
		{"cmd/frontdesk/cli/a.go", `import "frontdesk.example/client"`, ""},
		{"cmd/frontdesk/cli/a.go", `import "frontdesk/cmd/frontdesk/cli/audit"`, ""},
		{"cmd/frontdesk/cli/audit/a.go", `import "frontdesk/cmd/frontdesk/cli/term"`, ""},
		{"cmd/frontdesk/cli/audit/a.go", `import "frontdesk/cmd/frontdesk/cli/practice"`, "cmd may not import frontdesk/cmd/frontdesk/cli/practice"},
		{"cmd/frontdesk/cli/audit/a.go", `import "frontdesk/cmd/frontdesk/cli"`, "cmd may not import frontdesk/cmd/frontdesk/cli"},
		{"cmd/frontdesk/cli/audit/a_test.go", `import "frontdesk/cmd/frontdesk/cli"`, ""},
		{"cmd/frontdesk/cli/clitest/a.go", `import "frontdesk/cmd/frontdesk/cli"`, ""},
		{"cmd/frontdesk/cli/term/a.go", `import "frontdesk/cmd/frontdesk/cli/audit"`, "cmd may not import frontdesk/cmd/frontdesk/cli/audit"},
		{"cmd/frontdesk/audit/fhir/a.go", `import "frontdesk/adapters/postgres"`, ""},
		{"cmd/frontdesk/audit/subjectaccess/a.go", `import "frontdesk/cmd/frontdesk/audit/auditing"`, ""},
		{"cmd/frontdesk/audit/auditing/a.go", `import "frontdesk/cmd/frontdesk/app"`, "cmd may not import frontdesk/cmd/frontdesk/app"},
		{"cmd/frontdesk/audit/auditing/a_test.go", `import "frontdesk/cmd/frontdesk/app"`, ""},
		{"cmd/frontdesk/app/a.go", `import "frontdesk/cmd/frontdesk/audit/auditing"`, ""},
		{"cmd/frontdesk/app/a.go", `import "frontdesk/cmd/frontdesk/devkit/sandbox"`, "cmd may not import frontdesk/cmd/frontdesk/devkit/sandbox"},
		{"cmd/frontdesk/devkit/dev/a.go", `import "frontdesk/cmd/frontdesk/app"`, ""},
		{"cmd/frontdesk/devkit/dev/a.go", `import "frontdesk/cmd/frontdesk/audit/fhir"`, "cmd may not import frontdesk/cmd/frontdesk/audit/fhir"},
		{"cmd/frontdesk/devkit/dev/page/a.go", `import "frontdesk/cmd/frontdesk/cli/term"`, "cmd may not import frontdesk/cmd/frontdesk/cli/term"},
		{"cmd/frontdesk/cli/integrate/a.go", `import "frontdesk/cmd/frontdesk/devkit/sandbox"`, ""},
		{"util/a.go", ``, "util is not a layer"},
	} {
		var want []string
		if c.want != "" {
			want = []string{c.name + ":1: " + c.want}
		}
		if got := breaches(c.name, []byte("package a; "+c.body)); !slices.Equal(got, want) {
			t.Errorf("%s with %s: got %q, want %q", c.name, c.body, got, want)
		}
	}
}

// breaches lists the violations of the rule in a file, named from the root.
func breaches(name string, source []byte) (found []string) {
	files := token.NewFileSet()
	file, err := parser.ParseFile(files, name, source, parser.SkipObjectResolution)
	if err != nil {
		return []string{err.Error()} // the error names the file
	}
	report := func(at token.Pos, format string, args ...any) {
		found = append(found, fmt.Sprintf("%s:%d: %s %s", name, files.Position(at).Line, top(name), fmt.Sprintf(format, args...)))
	}
	l, known := layers[top(name)]
	if !known {
		report(file.Package, "is not a layer")
		return found
	}
	for _, spec := range file.Imports {
		if imported, _ := strconv.Unquote(spec.Path.Value); !l.allows(name, imported) {
			report(spec.Path.Pos(), "may not import %s", imported)
		}
	}
	if l.pure && !isTest(name) {
		findImpurities(file, report)
	}
	return found
}

func (l layer) allows(name, imported string) bool {
	within := func(root string) bool { return imported == root || strings.HasPrefix(imported, root+"/") }
	place := slices.Index(stack, path.Dir(name))
	switch first, _, _ := strings.Cut(imported, "/"); {
	case place >= 0 && !isTest(name) && within("frontdesk/adapters/postgres"):
		return slices.Contains(stack[:min(place, 3)], strings.TrimPrefix(imported, "frontdesk/"))
	case strings.HasPrefix(path.Dir(name), theCommandLine+"/") && !isTest(name) && within("frontdesk/"+theCommandLine):
		return within("frontdesk/" + theCommandLine + "/term") // groups of commands know no other group, nor the list of them
	case strings.HasPrefix(path.Dir(name), staffPages+"/") && !isTest(name) && within("frontdesk/"+staffPages):
		may, named := pageImports[path.Base(path.Dir(name))]
		if !named {
			may = []string{"pagekit", "signin"}
		}
		return slices.Contains(may, path.Base(imported))
	case importsWithin(name) != nil && !isTest(name) && within("frontdesk/"+theProgram):
		return slices.ContainsFunc(importsWithin(name), func(folder string) bool { return within("frontdesk/" + theProgram + "/" + folder) })
	case within(theClient) && top(name) == "adapters" && !isTest(name):
		return path.Dir(name) == "adapters/webhooks/receiver" // the service verifies with code of its own
	case slices.ContainsFunc(l.may, within):
		return true
	case isTest(name) && (within(goCmp) || slices.ContainsFunc(l.tests, within)):
		return true
	case first == "frontdesk":
		return top(name) == "adapters" && within("frontdesk/"+adapter(name))
	case strings.Contains(first, "."): // a host: not the standard library
		return l.libraries
	default:
		return !l.pure || isTest(name) || !leavesTheProcess(first, imported)
	}
}

// leavesTheProcess reports whether a package of the standard library does I/O or logs.
// Addresses are values: parsing one dials nothing.
func leavesTheProcess(first, imported string) bool {
	return slices.Contains([]string{"os", "net", "log", "syscall", "database"}, first) &&
		!slices.Contains([]string{"net/mail", "net/netip", "net/url"}, imported)
}

func findImpurities(file *ast.File, report func(at token.Pos, format string, args ...any)) {
	ast.Inspect(file, func(n ast.Node) bool {
		if n, ok := n.(*ast.GoStmt); ok {
			report(n.Pos(), "may not start a goroutine")
		}
		return true
	})
	clocks := []string{"Now", "Since", "Until", "Sleep", "After", "AfterFunc", "Tick", "NewTicker", "NewTimer"}
	for _, use := range selections(file, "time", clocks) {
		report(use.Pos(), "may not use time.%s: time is an argument", use.Sel.Name)
	}
}

func top(name string) string { return strings.Split(name, "/")[0] }

// adapter is the folder of the adapter that a file of adapters/ belongs to.
func adapter(name string) string { return strings.Join(strings.Split(name, "/")[:2], "/") }

// importsWithin returns the folders of the program that a file in one of the [programLayers] may
// import; nil for other files.
func importsWithin(name string) []string {
	below, found := strings.CutPrefix(name, theProgram+"/")
	if !found {
		return nil
	}
	return programLayers[top(below)]
}

// isTest reports whether a file is a test or belongs to a test helper, a
// package whose name ends in "test". Both run in tests only.
func isTest(name string) bool {
	return strings.HasSuffix(name, "_test.go") || strings.HasSuffix(path.Dir(name), "test")
}
