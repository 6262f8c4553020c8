package proofs

import (
	"cmp"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"

	"frontdesk/.ci/tree"
)

// Proof is a test that takes too long for `make test`, or a fuzz target.
type Proof struct {
	Name   string // as Go knows it, such as TestProveGrowth
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
	declared = regexp.MustCompile(`(?m)^func (TestProve[A-Z]\w*|Fuzz[A-Z]\w*)\(\w+ \*testing\.[TF]\)`)
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
		for _, test := range declared.FindAllSubmatch(source, -1) {
			found = append(found, Proof{Name: string(test[1]), Folder: path.Dir(name)})
		}
	}
	slices.SortFunc(found, Proof.Compare)
	return found, nil
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
