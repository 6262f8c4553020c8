package proofs

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"

	"frontdesk/.ci/tree"
)

// Proof is a test that takes too long for `make test`, or a fuzz target.
type Proof struct {
	Name   string // Go's name, such as TestProveGrowth
	Folder string // of its package, from the root of the repository
}

// Fuzzes reports whether the proof is a fuzz target.
func (p Proof) Fuzzes() bool { return strings.HasPrefix(p.Name, "Fuzz") }

// Compare orders proofs by name.
func (p Proof) Compare(other Proof) int {
	return cmp.Or(cmp.Compare(p.Name, other.Name), cmp.Compare(p.Folder, other.Folder))
}

// IsProof reports whether a test is a proof by its name.
func IsProof(test string) bool { return proving.MatchString(test) }

var (
	proving  = regexp.MustCompile(`^TestProve[A-Z]`)
	fuzzes   = regexp.MustCompile(`^Fuzz[A-Z]`)
	declared = regexp.MustCompile(`(?m)^func (TestProve|Fuzz)[A-Z]`)
)

// Find returns the proofs of a module, by name. It ignores folders that are modules of
// their own.
func Find(files fs.FS) ([]Proof, error) {
	names, err := tree.Files(files)
	if err != nil {
		return nil, err
	}
	var found []Proof
	for _, name := range names {
		if !strings.HasSuffix(name, "_test.go") || ofAnotherModule(names, name) {
			continue
		}
		source, err := fs.ReadFile(files, name)
		if err != nil {
			return nil, err
		}
		tests, err := declaredIn(name, source)
		if err != nil {
			return nil, err
		}
		for _, test := range tests {
			found = append(found, Proof{Name: test, Folder: path.Dir(name)})
		}
	}
	slices.SortFunc(found, Proof.Compare)
	return found, nil
}

// declaredIn returns the proofs that a file declares. Some tests hold others as text, so a
// match is only a reason to parse the file.
func declaredIn(name string, source []byte) (tests []string, err error) {
	if !declared.Match(source) {
		return nil, nil
	}
	file, err := parser.ParseFile(token.NewFileSet(), name, source, parser.SkipObjectResolution)
	if err != nil {
		return nil, fmt.Errorf("look for proofs: %w", err)
	}
	for _, declaration := range file.Decls {
		test, is := declaration.(*ast.FuncDecl)
		if is && test.Recv == nil && (IsProof(test.Name.Name) || fuzzes.MatchString(test.Name.Name)) {
			tests = append(tests, test.Name.Name)
		}
	}
	return tests, nil
}

// ofAnotherModule reports whether a folder between the root and the file has a go.mod.
func ofAnotherModule(names []string, file string) bool {
	for folder := path.Dir(file); folder != "."; folder = path.Dir(folder) {
		if slices.Contains(names, folder+"/go.mod") {
			return true
		}
	}
	return false
}
